/** One merge, told in plain data, so that it can be done by this thread or by a worker. */
import { BitSet } from '@spindle/core'
import { segmentCommitFiles } from '../codec/commit-files.js'
import type { SegmentCommit } from '../codec/commit-point.js'
import type { SegmentInfo } from '../codec/segment-info.js'
import { SegmentData } from '../reading/segment-data.js'
import { ValueOverlays } from '../reading/value-overlays.js'
import type { Directory } from '../store/directory.js'
import { numberSource } from './merge-numbers.js'
import type { MergePacer } from './merge-pacer.js'
import { type MergeSource, SegmentMerger } from './segment-merger.js'
import { SegmentWriter } from './segment-writer.js'

/** What to merge, and into what. */
export interface MergeJob {
  /** Name of the new segment. */
  readonly name: string
  readonly sources: readonly {
    readonly commit: SegmentCommit
    /** Words of the set of live documents, null where all are. */
    readonly live: Uint32Array | null
  }[]
  /** Whether the new files are to be made durable at once, so that no commit has to wait for it. */
  readonly sync: boolean
}

/**
 * Does the merge. When it fails, files may be left, which the writer removes.
 * @param opened the files of the sources where they are open already; they stay open
 * @throws MergeAborted, SpindleError INDEX_CORRUPT, DISK_FULL, INDEX_WRITE_FAILED
 */
export async function runMergeJob(
  directory: Directory,
  job: MergeJob,
  pacer: MergePacer,
  opened: readonly SegmentData[] = [],
): Promise<SegmentInfo> {
  const sources: MergeSource[] = []
  const overlays: ValueOverlays[] = []
  try {
    for (const [i, { commit, live }] of job.sources.entries()) {
      await pacer.maybeYield()
      const data = opened[i] ?? (await SegmentData.open(directory, commit.name, commit.id, commit.maxDoc, 'nothing'))
      if (opened[i] !== undefined) data.retain()
      const own = { data, live: live === null ? null : new BitSet(commit.maxDoc, live) }
      sources.push(own)
      const changed = await ValueOverlays.open(directory, commit, data.fieldInfos)
      if (changed === null) continue
      overlays.push(changed)
      sources[sources.length - 1] = { ...own, numbers: numberSource(data, changed) }
    }
    const writer = await SegmentWriter.create(pacer.counting(directory), job.name)
    let info: SegmentInfo
    try {
      info = await new SegmentMerger(sources, writer, pacer).merge()
    } catch (error) {
      await writer.abandon(false)
      throw error
    }
    if (job.sync) {
      const { name, id, maxDoc } = info
      await directory.sync(segmentCommitFiles({ name, id, maxDoc, liveGeneration: 0, deletedCount: 0 }))
    }
    return info
  } finally {
    for (const one of overlays) await one.release()
    for (const { data } of sources) await data.release()
  }
}
