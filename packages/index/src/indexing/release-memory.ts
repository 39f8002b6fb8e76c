/** Gives memory back before the garbage collector finds that nobody needs it any more. */

/**
 * Frees the memory of a buffer at once. Nobody may use it, or a view of it, from then on. It goes back to the system where
 * it is larger than 32 MB, which the C library never takes out of its heap.
 *
 * A buffer that is sent away belongs to the message, and the message goes with its channel. (`ArrayBuffer.transfer` would
 * say it in one word; Node.js 20 does not have it.)
 */
export function releaseMemory(buffer: ArrayBuffer): void {
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(null, [buffer])
  port1.close()
  port2.close()
}
