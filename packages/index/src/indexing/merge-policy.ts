/**
 * Which segments to merge. Segments are sorted into classes of size, each class 10 times as large as the one below;
 * ten segments of one class become one of the next. A document is so rewritten about log10(size) times.
 */

/** What the policy looks at. */
export interface MergeCandidate {
  readonly liveBytes: number
  readonly numDocs: number
  readonly deletedCount: number
}

/** Everything smaller counts as so large: small segments are merged together whatever their differences. */
const FLOOR_BYTES = 1 << 20
/** A segment with more deleted documents than this share is written anew. */
const MAX_DELETED_SHARE = 0.5

/**
 * The next merge to do.
 * @param segments in the order of their documents
 * @param mergeFactor segments that a class may not reach
 * @returns indexes into `segments`, ascending; undefined where nothing is to be done
 */
export function findMerge(segments: readonly MergeCandidate[], mergeFactor: number): number[] | undefined {
  const classes = new Map<number, number[]>()
  for (let i = 0; i < segments.length; i++) {
    const { liveBytes, numDocs, deletedCount } = segments[i]
    if (deletedCount / (numDocs + deletedCount) > MAX_DELETED_SHARE) return [i]
    const ratio = Math.max(FLOOR_BYTES, liveBytes) / FLOOR_BYTES
    const level = Math.floor(Math.log(ratio) / Math.log(mergeFactor) + 1e-9)
    const members = classes.get(level) ?? []
    members.push(i)
    classes.set(level, members)
  }
  // The smallest class first: its merge may fill the next one.
  for (const level of [...classes.keys()].sort((a, b) => a - b)) {
    const members = classes.get(level)!
    if (members.length >= mergeFactor) return members.slice(0, mergeFactor)
  }
  return undefined
}

/**
 * The next merge on the way to at most `count` segments without deleted documents.
 * @returns indexes into `segments`, ascending; undefined where it is reached
 */
export function findForcedMerge(
  segments: readonly MergeCandidate[],
  count: number,
  mergeFactor: number,
): number[] | undefined {
  if (segments.length > count) {
    const bySize = segments.map((_, i) => i).sort((a, b) => segments[a].liveBytes - segments[b].liveBytes || a - b)
    // Down to the number wanted in one step where it can be done, otherwise by full merges of the smallest.
    const excess = segments.length - count + 1
    return bySize.slice(0, Math.min(excess, Math.max(2, mergeFactor))).sort((a, b) => a - b)
  }
  const withDeletes = segments.findIndex((segment) => segment.deletedCount > 0)
  return withDeletes < 0 ? undefined : [withDeletes]
}
