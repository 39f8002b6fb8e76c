/** How to get a workload to test, and what is put into it. */
import type { Test } from 'tap'
import type { FinishedUrl, NewUrl, QueueName, Workload } from '../frontier/workload.js'

export interface WorkloadHarness {
  readonly name: string
  /** An empty workload. */
  create(t: Test): Promise<Workload>
  /** Closes and opens the same queues again; left out where they do not survive. */
  reopen?(workload: Workload): Promise<Workload>
  /** Opens the same queues again as after the end of a process that could close nothing. */
  kill?(workload: Workload): Promise<Workload>
}

export const A = 'http://a.example'
export const B = 'http://b.example:8080'

export function seed(url: string, depth = 0): NewUrl {
  return { url, depth, redirects: 0 }
}

export function done(url: string, links: NewUrl[] = [], more: Partial<FinishedUrl> = {}): FinishedUrl {
  return {
    url,
    queue: 'complete',
    disposition: 'fetched',
    status: 200,
    page: 8,
    finishedAt: 1,
    links,
    skipped: [],
    ...more,
  }
}

export async function urls(workload: Workload, queue: QueueName): Promise<string[]> {
  return (await workload.list(queue, 1000)).map(({ url }) => url)
}
