/** Stretches of the positions of one field in one document. */

/** A list of stretches with room for more; the first `length` entries count. */
export class Spans {
  length = 0
  /** First position of each. */
  starts = new Int32Array(16)
  /** One past its last position. */
  ends = new Int32Array(16)
  /** How far its terms are from standing as close as they can; what that means is the matcher's affair. */
  distances = new Int32Array(16)

  push(start: number, end: number, distance: number): void {
    const at = this.length
    if (at === this.starts.length) {
      this.starts = enlarged(this.starts)
      this.ends = enlarged(this.ends)
      this.distances = enlarged(this.distances)
    }
    this.starts[at] = start
    this.ends[at] = end
    this.distances[at] = distance
    this.length = at + 1
  }

  /** The frequency that a similarity scores: Σ 1 / (1 + distance). */
  frequency(): number {
    const { distances, length } = this
    let sum = 0
    for (let i = 0; i < length; i++) sum += 1 / (1 + distances[i]!)
    return sum
  }
}

function enlarged(values: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * values.length)
  larger.set(values)
  return larger
}
