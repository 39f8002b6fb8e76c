/**
 * A pause in long work in which everything else that waits is served. The event loop accepts one new connection a
 * round, so a single round would let a sudden crowd in one by one between two searches.
 */
import { setImmediate as nextRound } from 'node:timers/promises'

/** A round in which nothing happens costs about 10 µs. */
const ROUNDS = 8

/** Resolves after some rounds of the event loop. */
export async function serveOthers(): Promise<void> {
  for (let i = 0; i < ROUNDS; i++) await nextRound()
}
