/** Turns the system's write errors into ours. */
import { SpindleError, systemCode } from '@spindle/core'

/** Makes (does not throw) a `DISK_FULL` or `INDEX_WRITE_FAILED` error around a system error; ours pass unchanged. */
export function writeFailed(path: string, error: unknown): SpindleError {
  if (error instanceof SpindleError) return error
  const code = systemCode(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new SpindleError('DISK_FULL', `There is no room left to write ${path}: free some space and try again.`, {
      cause: error,
    })
  }
  return new SpindleError(
    'INDEX_WRITE_FAILED',
    `The index file ${path} cannot be written (${code ?? String(error)}): check the folder's disk and permissions.`,
    { cause: error },
  )
}
