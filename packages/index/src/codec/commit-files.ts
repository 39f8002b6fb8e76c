/** Which files a commit names: what has to be durable before it, what stays as long as it, what a backup copies. */
import type { CommitPoint, SegmentCommit } from './commit-point.js'
import { commitFile, fieldValuesFile, liveDocsFile, SEGMENT_COMPONENTS, segmentFile } from './segment-files.js'

/** Names of all files of a segment as a commit names it. */
export function segmentCommitFiles({ name, liveGeneration, valueGenerations }: SegmentCommit): string[] {
  const names = SEGMENT_COMPONENTS.map((component) => segmentFile(name, component))
  if (liveGeneration > 0) names.push(liveDocsFile(name, liveGeneration))
  for (const [field, generation] of valueGenerations ?? []) names.push(fieldValuesFile(name, field, generation))
  return names
}

/** Names of all files of a commit; its own, `segments_N`, is the last. */
export function commitFiles(commit: CommitPoint): string[] {
  return [...commit.segments.flatMap(segmentCommitFiles), commitFile(commit.generation)]
}
