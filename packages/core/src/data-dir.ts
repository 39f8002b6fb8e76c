/** The data folder: the only place that names what lies below it. */
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { SpindleError } from './errors.js'
import { makeDirectory } from './io/make-directory.js'

/** Paths of everything that a crawl and a server keep. Nothing is created before {@link DataDir.create}. */
export class DataDir {
  /** Lock that a crawl holds. */
  static readonly crawlLock = 'crawl.lock'
  /** Lock that a process holds which brings the index to another dictionary while there is no crawl. */
  static readonly dictionaryLock = 'dictionary.lock'

  /** The folder itself, absolute. */
  readonly root: string

  constructor(root: string) {
    this.root = resolve(root)
  }

  /** The full-text index. */
  get index(): string {
    return join(this.root, 'index')
  }

  /** The crawl frontier: which address is in which queue. */
  get frontier(): string {
    return join(this.root, 'frontier')
  }

  /** The stored pages. */
  get pages(): string {
    return join(this.root, 'pages')
  }

  /** What is known of the links between the pages. */
  get links(): string {
    return join(this.root, 'links')
  }

  /** The dictionary of the user, where no other file is named. */
  get dictionary(): string {
    return join(this.root, 'dictionary.txt')
  }

  /** Copies of the dictionaries that documents of the index were made with. */
  get dictionaries(): string {
    return join(this.root, 'dictionaries')
  }

  /** Log files. */
  get logs(): string {
    return join(this.root, 'logs')
  }

  /**
   * Creates the folder and those below it where they are missing, readable by their owner alone.
   * @throws SpindleError `DATA_DIR_UNUSABLE`
   */
  async create(): Promise<this> {
    for (const path of [this.root, this.index, this.frontier, this.pages, this.links, this.logs]) {
      try {
        await makeDirectory(path, 0o700)
      } catch (cause) {
        throw new SpindleError(
          'DATA_DIR_UNUSABLE',
          `Cannot create the folder ${path} (${(cause as Error).message}): choose a writable one with --data.`,
          { cause },
        )
      }
    }
    return this
  }

  /**
   * For those who only read: the folder may be missing, but what is there must be a folder.
   * @throws SpindleError `DATA_DIR_UNUSABLE`
   */
  async check(): Promise<this> {
    const found = await stat(this.root).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return undefined
      throw new SpindleError(
        'DATA_DIR_UNUSABLE',
        `Cannot read the data folder ${this.root} (${cause.message}): name another one with --data.`,
        { cause },
      )
    })
    if (found === undefined || found.isDirectory()) return this
    throw new SpindleError('DATA_DIR_UNUSABLE', `${this.root} is not a folder: name a data folder with --data.`)
  }
}
