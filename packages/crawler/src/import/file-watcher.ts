/** Tells what has come, changed or gone below files and folders, gathered for a moment: a save is several events. */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type FSWatcher, watch } from 'chokidar'
import { fileAt, type LocalFile, type LocalRoot } from './local-files.js'

/** What has changed since it was last asked for. */
export interface FileChanges {
  readonly files: readonly LocalFile[]
  /** addresses of folders that are gone, each with an ending slash */
  readonly folders: readonly string[]
}

/** Quiet time after the last event, milliseconds. */
const QUIET_MS = 300
/** A file is read when it has not grown for so long. */
const STABLE = { stabilityThreshold: 300, pollInterval: 100 }

/** See the head of this file. */
export class FileWatcher {
  readonly #watcher: FSWatcher
  readonly #roots: readonly LocalRoot[]
  readonly #files = new Map<string, LocalFile>()
  readonly #folders = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #wake: (() => void) | undefined
  #isDue = false

  private constructor(roots: readonly LocalRoot[]) {
    this.#roots = roots
    this.#watcher = watch(
      roots.map(({ path }) => path),
      {
        ignoreInitial: true,
        followSymlinks: false,
        awaitWriteFinish: STABLE,
        ignored: (path, stats) => stats?.isFile() === true && this.#fileAt(path) === undefined,
      },
    )
    for (const event of ['add', 'change', 'unlink'] as const) this.#watcher.on(event, (path) => this.#note(path))
    this.#watcher.on('unlinkDir', (path) => {
      this.#folders.add(pathToFileURL(join(path, '/')).href)
      this.#soon()
    })
    // What cannot be watched is still taken in by the next run.
    this.#watcher.on('error', () => {})
  }

  /** Resolves when everything is watched. */
  static async open(roots: readonly LocalRoot[]): Promise<FileWatcher> {
    const watcher = new FileWatcher(roots)
    await new Promise<void>((resolve) => watcher.#watcher.once('ready', () => resolve()))
    return watcher
  }

  /** The changes when there are any; undefined when the signal says that nobody waits any more. */
  async next(signal: AbortSignal): Promise<FileChanges | undefined> {
    while (!this.#isDue) {
      if (signal.aborted) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    this.#isDue = false
    const changes = { files: [...this.#files.values()], folders: [...this.#folders] }
    this.#files.clear()
    this.#folders.clear()
    return changes
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#watcher.close()
  }

  #note(path: string): void {
    const file = this.#fileAt(path)
    if (file === undefined) return
    this.#files.set(file.url, file)
    this.#soon()
  }

  #fileAt(path: string): LocalFile | undefined {
    for (const root of this.#roots) {
      const file = fileAt(path, root)
      if (file !== undefined) return file
    }
    return undefined
  }

  #soon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#isDue = true
      this.#wake?.()
    }, QUIET_MS)
  }
}
