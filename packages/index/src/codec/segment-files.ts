/** Names of the files of an index. */

/** Components that a segment has one file of. */
export const SEGMENT_COMPONENTS = [
  'info',
  'fields',
  'terms',
  'postings',
  'position',
  'norms',
  'values',
  'stored',
] as const

/** One of them. */
export type SegmentComponent = (typeof SEGMENT_COMPONENTS)[number]

/** File of a segment: `_7.terms`. */
export function segmentFile(segment: string, component: SegmentComponent): string {
  return `${segment}.${component}`
}

/** Live documents of a generation: `_7_3.live`. */
export function liveDocsFile(segment: string, generation: number): string {
  return `${segment}_${generation}.live`
}

/** Doc values of one field, of a generation: `_7_4_3.values`. */
export function fieldValuesFile(segment: string, field: number, generation: number): string {
  return `${segment}_${field}_${generation}.values`
}

/** Name of the segment with a number: `_7`. */
export function segmentName(number: number): string {
  return `_${number}`
}

/** A commit point: `segments_12`. */
export function commitFile(generation: number): string {
  return `segments_${generation}`
}

/** A commit point being written: `pending_segments_12`. */
export function pendingCommitFile(generation: number): string {
  return `pending_segments_${generation}`
}

const COMMIT = /^segments_([1-9][0-9]{0,15})$/
const OURS = new RegExp(
  `^(?:_[0-9]+\\.(?:${SEGMENT_COMPONENTS.join('|')})|_[0-9]+_[0-9]+\\.live|_[0-9]+_[0-9]+_[0-9]+\\.values|(?:pending_)?segments_[0-9]+)$`,
)

/** Generation of a commit point's file, or undefined for any other file. */
export function commitGeneration(name: string): number | undefined {
  const match = COMMIT.exec(name)
  return match === null ? undefined : Number(match[1])
}

/** True for a name that only this library gives: nothing else is ever deleted. */
export function isIndexFile(name: string): boolean {
  return OURS.test(name)
}
