/**
 * Large buffers that leave nothing behind. The C library hands out blocks of up to 32 MiB again itself once a block of that
 * size has been freed, and keeps up to twice as much free memory in each of its heaps, one a thread (mallopt(3):
 * M_MMAP_THRESHOLD is dynamic). A block above 32 MiB is memory of its own, which comes from the system as it is touched and
 * goes back when the garbage collector finds the buffer. While a million documents were written, that was 40 MB less.
 */

/** Smaller buffers do no harm. */
const LARGE = 2 ** 20
/** Just above the largest block that the C library keeps. */
const OWN = 33 * 2 ** 20

/** A buffer of at least so many bytes, all zeros. What is not touched takes no memory. */
export function largeBuffer(bytes: number): ArrayBuffer {
  return new ArrayBuffer(bytes < LARGE ? bytes : Math.max(bytes, OWN))
}

/** So many zeros in a {@link largeBuffer}. */
export function largeInt32Array(length: number): Int32Array<ArrayBuffer> {
  return new Int32Array(largeBuffer(length * 4), 0, length)
}
