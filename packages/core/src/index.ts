/** Shared vocabulary of the product. The list below is the package's whole public surface. */
export { type ConfigSource, loadConfig, type OptionSpec, type OptionTable } from './config.js'
export { counted } from './counted.js'
export { DataDir } from './data-dir.js'
export { ERROR_CODES, type ErrorCode, isSpindleError, SpindleError, systemCode } from './errors.js'
export { dictionaryPath, type IndexConfig, indexOptions } from './index-config.js'
export { fsyncDir, writeFileAtomic, writeFully } from './io/atomic-file.js'
export { ByteReader } from './io/byte-reader.js'
export { ByteWriter } from './io/byte-writer.js'
export { crc32 } from './io/crc32.js'
export { DirectoryLock, type LockHolder } from './io/directory-lock.js'
export { makeDirectory } from './io/make-directory.js'
export {
  type LogRecord,
  MAX_RECORD_BYTES,
  RecordLogReader,
  RecordLogWriter,
  type RecordOffset,
} from './io/record-log.js'
export { JsonLineLogger, type Logger, type LogLevel, nullLogger } from './log.js'
export { booleanOption, textOption, wholeOption } from './option-specs.js'
export { PageField, type PageFieldName } from './page.js'
export { decodeSections, encodeSections, type PageSection, sectionAt } from './page-sections.js'
export { BitSet } from './structures/bit-set.js'
export { largeBuffer, largeInt32Array } from './structures/large-buffer.js'
export { PriorityQueue } from './structures/priority-queue.js'
export { canonicalUrl, hostKey, isHttpUrl, normalizeUrl, parseUrl, resolveUrl } from './url.js'
