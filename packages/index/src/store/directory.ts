/**
 * Where the files of an index live: a flat set of named files, each written once from front to back and never changed.
 * Reading is by ranges, so that memory, disk and HTTP look the same.
 */

/** A file being written. Writing is synchronous (into the page cache); making it durable is not. */
export interface FileOutput {
  readonly name: string
  /** Appends the bytes, all of them. */
  write(bytes: Uint8Array): void
  /** Closes the file; it is durable only after `Directory.sync`. */
  close(): Promise<void>
}

/** A file open for reading; stays readable until closed, also when its name is deleted meanwhile. */
export interface FileInput {
  readonly name: string
  /** Bytes. */
  readonly length: number
  /** Of a file of the system: its descriptor, by which every thread of the process can read it until it is closed. */
  readonly descriptor?: number
  /** Fills `target` from `offset` on. @throws SpindleError INDEX_CORRUPT where the file ends before */
  read(target: Uint8Array, offset: number): Promise<void>
  close(): Promise<void>
}

/** Held by the one writer of an index. */
export interface WriteLock {
  /** @throws SpindleError LOCK_LOST where the lock is no longer ours */
  ensureValid(): Promise<void>
  release(): Promise<void>
}

/** A flat set of immutable files. */
export interface Directory {
  /** The folder, or a name for messages. */
  readonly path: string
  /** True where each read costs a round trip over a network: then as little as possible is read, and in one go. */
  readonly isRemote?: boolean
  /**
   * Names of all files in no order; of a directory that cannot list (HTTP) only the newest commit point.
   * @throws SpindleError INDEX_NOT_FOUND where the folder does not exist
   */
  list(): Promise<string[]>
  /** Makes the folder where it is missing. */
  create(): Promise<void>
  /** Creates a file; it must not exist. */
  createOutput(name: string): Promise<FileOutput>
  /** @throws the system's ENOENT error where the file does not exist */
  open(name: string): Promise<FileInput>
  /** Replaces `to` atomically. */
  rename(from: string, to: string): Promise<void>
  /** Makes the contents of these files durable. */
  sync(names: readonly string[]): Promise<void>
  /** Makes creations, renames and deletions durable. */
  syncDirectory(): Promise<void>
  /** A file that does not exist counts as deleted. */
  delete(name: string): Promise<void>
  /** @throws SpindleError LOCK_HELD where another writer has it */
  obtainLock(): Promise<WriteLock>
}
