/** Which pages of a result there are and which of them get a link. */
import { MAX_WINDOW } from './search-request.js'

/** Page numbers around the current one; 0 stands for a gap. */
export interface ResultPages {
  readonly current: number
  /** Pages that can be reached: all of the result, within the paging window. */
  readonly last: number
  readonly numbers: readonly number[]
  /** There are more hits than paging reaches. */
  readonly windowEnds: boolean
}

const AROUND = 2

/** @param total matching pages */
export function resultPages(total: number, current: number, size: number): ResultPages {
  const reachable = Math.floor(MAX_WINDOW / size)
  const all = Math.ceil(total / size)
  const last = Math.min(all, reachable)
  const numbers: number[] = []
  const from = Math.max(2, Math.min(current, last) - AROUND)
  const to = Math.min(last - 1, current + AROUND)
  if (last >= 1) numbers.push(1)
  if (from > 2) numbers.push(0)
  for (let n = from; n <= to; n++) numbers.push(n)
  if (to < last - 1) numbers.push(0)
  if (last > 1) numbers.push(last)
  return { current, last, numbers, windowEnds: all > reachable && current >= last }
}
