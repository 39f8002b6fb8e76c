/** The index of a data folder for a command that asks it and ends. */
import { DataDir, dictionaryPath, nullLogger, SpindleError } from '@spindle/core'
import type { ServerConfig } from '../config.js'
import { LocalIndexBackend } from '../search/local-index-backend.js'

/** @throws SpindleError where there is no index that can be asked; `SYNONYMS_INVALID` */
export async function openBackend({
  data,
  searchTimeout,
  cache,
  search,
  index,
}: Pick<ServerConfig, 'data' | 'searchTimeout' | 'cache' | 'search' | 'index'>): Promise<LocalIndexBackend> {
  const folder = await new DataDir(data).check()
  const backend = await LocalIndexBackend.open(folder.index, {
    logger: nullLogger,
    searchTimeout,
    cache,
    dictionary: dictionaryPath(index, folder),
    ...search,
  })
  const { state, reason, detail } = backend.status()
  if (state === 'failed' || (state === 'waiting' && reason !== 'INDEX_NOT_READY')) {
    await backend.close()
    throw new SpindleError(reason ?? 'INDEX_NOT_FOUND', detail)
  }
  return backend
}
