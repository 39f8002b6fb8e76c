/** The worker in which large merges run; see merge-thread.ts. It opens the sources by itself and ends with its port. */
import { isMainThread, parentPort } from 'node:worker_threads'
import { isSpindleError } from '@spindle/core'
import { FsDirectory } from '../store/fs-directory.js'
import { runMergeJob } from './merge-job.js'
import { MergeAborted, MergePacer } from './merge-pacer.js'
import type { MergeAnswer, MergeRequest } from './merge-thread.js'

async function answer({ path, job, aborted, rate }: MergeRequest): Promise<MergeAnswer> {
  try {
    const pacer = new MergePacer(new Int32Array(aborted), new Int32Array(rate))
    return { info: await runMergeJob(new FsDirectory(path), job, pacer) }
  } catch (error) {
    if (error instanceof MergeAborted) return { aborted: true }
    // A class does not survive the way to another thread.
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
    return { failure: { code: isSpindleError(error) ? error.code : null, message, stack } }
  }
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort
  port.on('message', (request: MergeRequest) => {
    void answer(request).then((result) => port.postMessage(result))
  })
}
