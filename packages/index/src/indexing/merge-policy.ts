/**
 * Which segments to merge; the idea of Lucene's TieredMergePolicy. A budget says how many segments an index of its size
 * may have: ten of each tier, every tier ten times as large as the one below. Over budget, the merge with the best score
 * is done: even sizes first (every document is rewritten about log10(size) times), small ones rather than large ones,
 * and those that reclaim many deletes. No merge makes a segment larger than a limit, so that none runs for hours.
 */

/** What the policy looks at. */
export interface MergeCandidate {
  /** Bytes of the files, deleted documents taken off by their share. */
  readonly liveBytes: number
  readonly numDocs: number
  readonly deletedCount: number
}

/** Settings of the policy. */
export interface MergePolicySettings {
  /** Segments of a tier, and of one merge. */
  readonly mergeFactor: number
  /** Largest segment that an automatic merge makes, in bytes. */
  readonly maxMergedSegmentBytes: number
}

/** Everything smaller counts as so large: small segments are merged together whatever their differences. */
const FLOOR_BYTES = 1 << 20
/** A segment with more deleted documents than this share is written anew, however small. */
const MAX_DELETED_SHARE = 0.5
/** Share of deleted documents that the whole index may have before the worst of its larger segments is written anew. */
const MAX_DELETED_SHARE_OF_INDEX = 0.2
/** Segments with a larger share of deletes are written anew by {@link findDeletesMerge}. */
const MAX_DELETED_SHARE_FORCED = 0.1

/**
 * The next merge to do.
 * @param segments those that are not being merged
 * @returns indexes into `segments`, ascending; undefined where nothing is to be done
 */
export function findMerge(segments: readonly MergeCandidate[], settings: MergePolicySettings): number[] | undefined {
  const { maxMergedSegmentBytes } = settings
  const mergeFactor = Math.max(2, settings.mergeFactor)
  const reclaim = findReclaim(segments)
  if (reclaim !== undefined) return [reclaim]

  // Those of more than half of the limit cannot be merged with each other: they stay, and do not count.
  const sizes = segments.map((segment) => segment.liveBytes)
  const eligible = sizes.map((_, i) => i).filter((i) => sizes[i]! <= maxMergedSegmentBytes / 2)
  eligible.sort((a, b) => sizes[b]! - sizes[a]! || a - b)
  if (eligible.length < 2) return undefined
  if (eligible.length < allowedSegments(eligible, sizes, mergeFactor, maxMergedSegmentBytes)) return undefined

  let best: number[] | undefined
  let bestScore = Number.POSITIVE_INFINITY
  for (let start = 0; start + 1 < eligible.length; start++) {
    const members: number[] = []
    let bytes = 0
    let floored = 0
    let isFull = false
    for (let i = start; i < eligible.length && members.length < mergeFactor; i++) {
      const size = sizes[eligible[i]!]!
      if (bytes + size > maxMergedSegmentBytes) {
        // Smaller ones may still fit.
        isFull = true
        continue
      }
      members.push(eligible[i]!)
      bytes += size
      floored += Math.max(size, FLOOR_BYTES)
    }
    if (members.length < 2 || (members.length < mergeFactor && !isFull && best !== undefined)) continue
    // 1 ÷ mergeFactor for equal sizes, towards 1 where one large segment would be rewritten for a few small ones.
    const skew = isFull ? 1 / mergeFactor : Math.max(sizes[members[0]!]!, FLOOR_BYTES) / floored
    const score = skew * floored ** 0.05 * (1 - deletedShare(members.map((i) => segments[i]!))) ** 2
    if (score < bestScore) {
      bestScore = score
      best = members
    }
  }
  return best?.sort((a, b) => a - b)
}

/**
 * The next merge on the way to at most `count` segments without deleted documents, whatever their size.
 * @returns indexes into `segments`, ascending; undefined where it is reached
 */
export function findForcedMerge(
  segments: readonly MergeCandidate[],
  count: number,
  mergeFactor: number,
): number[] | undefined {
  if (segments.length > count) {
    const bySize = segments.map((_, i) => i).sort((a, b) => segments[a]!.liveBytes - segments[b]!.liveBytes || a - b)
    // Down to the number wanted in one step where it can be done, otherwise by full merges of the smallest.
    const excess = segments.length - count + 1
    return bySize.slice(0, Math.min(excess, Math.max(2, mergeFactor))).sort((a, b) => a - b)
  }
  const withDeletes = segments.findIndex((segment) => segment.deletedCount > 0)
  return withDeletes < 0 ? undefined : [withDeletes]
}

/** The next segment to write anew until none has more than a tenth of deleted documents. */
export function findDeletesMerge(segments: readonly MergeCandidate[]): number[] | undefined {
  const found = segments.findIndex((segment) => deletedShare([segment]) > MAX_DELETED_SHARE_FORCED)
  return found < 0 ? undefined : [found]
}

/** The segment that has to be written anew because of its deletes. */
function findReclaim(segments: readonly MergeCandidate[]): number | undefined {
  let worst: number | undefined
  let worstShare = deletedShare(segments) > MAX_DELETED_SHARE_OF_INDEX ? MAX_DELETED_SHARE_OF_INDEX : MAX_DELETED_SHARE
  for (let i = 0; i < segments.length; i++) {
    const share = deletedShare([segments[i]!])
    // Small ones are merged soon anyway.
    if (share <= worstShare || (share <= MAX_DELETED_SHARE && segments[i]!.liveBytes < FLOOR_BYTES)) continue
    worst = i
    worstShare = share
  }
  return worst
}

function deletedShare(segments: readonly MergeCandidate[]): number {
  let deleted = 0
  let all = 0
  for (const { numDocs, deletedCount } of segments) {
    deleted += deletedCount
    all += numDocs + deletedCount
  }
  return all === 0 ? 0 : deleted / all
}

/** How many segments make a merge due: full tiers from the smallest segment's size up, and what is left of the next. */
function allowedSegments(
  eligible: readonly number[],
  sizes: readonly number[],
  mergeFactor: number,
  maxMergedSegmentBytes: number,
): number {
  let bytesLeft = 0
  for (const i of eligible) bytesLeft += Math.max(FLOOR_BYTES, sizes[i]!)
  let level = Math.max(FLOOR_BYTES, sizes[eligible.at(-1)!]!)
  let allowed = 0
  for (;;) {
    const count = bytesLeft / level
    if (count < mergeFactor || level >= maxMergedSegmentBytes) {
      allowed += Math.ceil(count)
      break
    }
    // One less than the factor: as many segments of one size as the factor are merged.
    allowed += mergeFactor - 1
    bytesLeft -= (mergeFactor - 1) * level
    level = Math.min(maxMergedSegmentBytes, level * mergeFactor)
  }
  return Math.max(mergeFactor, allowed)
}
