/** A thread of a check; see check-threads.ts. It ends with its port. */
import { isMainThread, parentPort } from 'node:worker_threads'
import { runCheckTask } from './check-parts.js'
import type { CheckRequest } from './check-threads.js'
import { HeldDirectory } from './held-directory.js'

if (!isMainThread && parentPort !== null) {
  const port = parentPort
  port.on('message', ({ path, files, commit, task }: CheckRequest) => {
    void runCheckTask(HeldDirectory.ofDescriptors(path, files), commit, task).then((parts) => port.postMessage(parts))
  })
}
