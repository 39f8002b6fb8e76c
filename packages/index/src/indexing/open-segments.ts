/** What a writer finds in a folder when it begins: the segments of the commit, or the remains of an older index. */
import type { CommitPoint } from '../codec/commit-point.js'
import { segmentFile } from '../codec/segment-files.js'
import { readSegmentInfo } from '../codec/segment-info.js'
import type { Directory } from '../store/directory.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { WriterSegment } from './writer-segment.js'

/** The segments of a commit. @throws SpindleError INDEX_CORRUPT */
export async function openSegments(directory: Directory, commit: CommitPoint): Promise<WriterSegment[]> {
  const segments: WriterSegment[] = []
  for (const named of commit.segments) {
    const info = await readSegmentInfo(directory, named.name, named.id)
    if (info.maxDoc !== named.maxDoc) {
      const file = `${directory.path}/${segmentFile(named.name, 'info')}`
      throw indexCorrupt(file, 0, `${named.maxDoc} documents`, info.maxDoc)
    }
    segments.push(new WriterSegment(directory, info, named, null))
  }
  return segments
}

/** A segment number that no file of the folder has: a new index is written beside an old one, which stays until the commit. */
export async function firstFreeSegment(directory: Directory): Promise<number> {
  let free = 0
  for (const name of await directory.list()) {
    const match = /^_([0-9]{1,15})[._]/.exec(name)
    if (match !== null) free = Math.max(free, Number(match[1]) + 1)
  }
  return free
}
