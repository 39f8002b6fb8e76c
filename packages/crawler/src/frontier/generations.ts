/**
 * Where a crawl is in its present generation: under way (also when its process was killed), or over, so that a recrawl begins the
 * next one. Kept with the queues.
 */
import type { Workload } from './workload.js'

const OVER = 'generation.over'

/** True where all of it was fetched that could be. */
export function isGenerationOver(workload: Workload): boolean {
  return workload.meta(OVER) === String(workload.generation()) || workload.counts().waiting === 0
}

/** Says that it is under way. */
export async function openGeneration(workload: Workload): Promise<void> {
  await workload.setMeta(OVER, '')
}

/** Says that it is over: nothing waits that could be fetched, or a limit was reached. */
export async function endGeneration(workload: Workload): Promise<void> {
  await workload.setMeta(OVER, String(workload.generation()))
}
