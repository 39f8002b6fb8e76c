/**
 * Which dictionary of the user the documents of an index were made with, and the way to another one: the documents that
 * have a changed word are analyzed again, from what is stored of them, while pages come in.
 *
 * Each commit says how far that is, so that whoever opens the index next goes on with what is left:
 *
 * ```
 * dictionary       revision that documents are made with now; none: no words of a user
 * dictionaryStale  [[revision, [segment …]] …]: in these segments documents with a word that the two say different
 *                  things of may be as the older one has them
 * ```
 *
 * The words of each revision that a commit names are in a file of their own beside the index, written before the commit.
 * Where one is lost, nobody knows what has changed, and all documents of its segments are analyzed again.
 */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isSpindleError, makeDirectory, writeFileAtomic } from '@spindle/core'
import type { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { standardDictionary } from '../analysis/chinese/standard-dictionary.js'
import { UserDictionary } from '../analysis/chinese/user-dictionary.js'
import { readUserDictionary } from '../analysis/chinese/user-dictionary-file.js'
import { MatchAllQuery } from '../search/query/match-all-query.js'
import { ChangedWords } from './changed-words.js'
import type { IndexWriter } from './index-writer.js'
import type { DerivedFields, Reanalysis, ReanalysisQuery, ReanalysisScope } from './reanalysis.js'

/** Segments whose documents may be as an older dictionary has them. */
interface Stale {
  /** What they are made with; undefined where it is lost. */
  readonly dictionary: UserDictionary | undefined
  readonly revision: string
  /** Goes through them. */
  readonly work: Reanalysis
}

/** Keys of a commit's user data. */
const REVISION = 'dictionary'
const STALE = 'dictionaryStale'

const NAME = /^([0-9a-f]{16})\.txt$/

/** The dictionary that a commit was made with, '' for none; and whether all of its documents are. */
export function recordedDictionary(userData: Readonly<Record<string, string>>): { revision: string; settled: boolean } {
  return { revision: userData[REVISION] ?? '', settled: userData[STALE] === undefined }
}

/** What a commit says of other things. */
export function withoutDictionary({
  [REVISION]: _revision,
  [STALE]: _stale,
  ...others
}: Readonly<Record<string, string>>): Record<string, string> {
  return others
}

/** See the head of this file. One method runs at a time. */
export class IndexDictionary {
  readonly #writer: IndexWriter
  readonly #analyzer: ChineseAnalyzer
  readonly #folder: string
  readonly #derived: DerivedFields | undefined
  #revision: string
  /** undefined where its words are lost. */
  #current: UserDictionary | undefined
  #stale: Stale[] = []
  #done = 0
  /** Files may be left that no commit names. */
  #untidy = false

  private constructor(
    writer: IndexWriter,
    analyzer: ChineseAnalyzer,
    folder: string,
    derived: DerivedFields | undefined,
    revision: string,
  ) {
    this.#writer = writer
    this.#analyzer = analyzer
    this.#folder = folder
    this.#derived = derived
    this.#revision = revision
  }

  /**
   * Takes up what the last commit says; to be called before anything is added.
   * @param analyzer of the writer; is given the words of the dictionary
   * @param folder for the words of dictionaries
   * @param derived fields that are not stored, where there are any
   * @throws SpindleError REANALYSIS_IMPOSSIBLE
   */
  static async open(
    writer: IndexWriter,
    analyzer: ChineseAnalyzer,
    folder: string,
    derived?: DerivedFields,
  ): Promise<IndexDictionary> {
    const { userData } = writer
    const { revision } = recordedDictionary(userData)
    const opened = new IndexDictionary(writer, analyzer, folder, derived, revision)
    const current = await opened.#words(revision)
    for (const [of, segments] of staleSegments(userData[STALE])) {
      opened.#stale.push(await opened.#begin(of, await opened.#words(of), current, { only: segments }))
    }
    opened.#current = current
    if (current !== undefined) analyzer.dictionary = current.over(standardDictionary())
    else await opened.use(UserDictionary.EMPTY)
    return opened
  }

  /** Of the dictionary that documents are made with. */
  get revision(): string {
    return this.#revision
  }

  /** Documents that were analyzed again. */
  get done(): number {
    return this.#done
  }

  /** Whether documents may be left to be analyzed again. */
  get isBehind(): boolean {
    return this.#stale.length > 0
  }

  /** What a commit has to say of it. */
  get commitData(): Readonly<Record<string, string>> {
    const stale = this.#stale.map(({ revision, work }) => [revision, work.segments])
    return {
      ...(this.#revision === '' ? {} : { [REVISION]: this.#revision }),
      ...(stale.length === 0 ? {} : { [STALE]: JSON.stringify(stale) }),
    }
  }

  /**
   * From now on documents are made with these words, and those that have a changed one are to be made again.
   * @returns false where they are the words that there are
   * @throws errors of the disk
   */
  async use(dictionary: UserDictionary): Promise<boolean> {
    if (this.#current !== undefined && dictionary.revision === this.#revision) return false
    await this.#keep(dictionary)
    const before = this.#stale
    const except = before.flatMap(({ work }) => work.segments)
    const words = dictionary.over(standardDictionary())
    const fresh = await this.#begin(this.#revision, this.#current, dictionary, {
      except,
      onHeld: () => {
        this.#analyzer.dictionary = words
      },
    })
    const stale = [fresh]
    for (const { revision, dictionary: old, work } of before) {
      stale.push(await this.#begin(revision, old, dictionary, { only: work.segments }))
    }
    this.#stale = stale.filter(({ work }) => work.segments.length > 0)
    this.#revision = dictionary.revision
    this.#current = dictionary
    // Only now, so that their segments were held all the time.
    for (const { work } of before) await work.end()
    return true
  }

  /** Analyzes some documents again. @returns whether there may be more */
  async step(): Promise<boolean> {
    const [first] = this.#stale
    if (first === undefined) return false
    const before = first.work.done
    if (!(await first.work.next())) this.#stale.shift()
    this.#done += first.work.done - before
    return this.isBehind
  }

  /** All documents are about to be made anew. */
  async startOver(): Promise<void> {
    for (const { work } of this.#stale) await work.end()
    this.#stale = []
  }

  /** To be called after each commit: removes what no commit names any more. */
  async committed(): Promise<void> {
    if (!this.#untidy) return
    const wanted = new Set([this.#revision, ...this.#stale.map(({ revision }) => revision)])
    for (const file of await readdir(this.#folder).catch(() => [])) {
      const found = NAME.exec(file)
      if (found !== null && !wanted.has(found[1]!)) await rm(join(this.#folder, file), { force: true })
    }
    this.#untidy = this.isBehind
  }

  async #begin(
    revision: string,
    from: UserDictionary | undefined,
    to: UserDictionary | undefined,
    scope: ReanalysisScope,
  ): Promise<Stale> {
    const query: ReanalysisQuery =
      from === undefined || to === undefined ? new MatchAllQuery() : new ChangedWords(from.changedWords(to))
    return {
      revision,
      dictionary: from,
      work: await this.#writer.beginReanalysis(query, { ...scope, derived: this.#derived }),
    }
  }

  async #keep(dictionary: UserDictionary): Promise<void> {
    this.#untidy = true
    if (dictionary.size === 0) return
    await makeDirectory(this.#folder, 0o700)
    await writeFileAtomic(this.#file(dictionary.revision), dictionary.toString())
  }

  /** The words of a revision, undefined where they are lost. */
  async #words(revision: string): Promise<UserDictionary | undefined> {
    if (revision === '') return UserDictionary.EMPTY
    try {
      const found = await readUserDictionary(this.#file(revision))
      return found.revision === revision ? found : undefined
    } catch (error) {
      if (isSpindleError(error, 'DICTIONARY_INVALID')) return undefined
      throw error
    }
  }

  #file(revision: string): string {
    return join(this.#folder, `${revision}.txt`)
  }
}

function staleSegments(recorded: string | undefined): [revision: string, segments: string[]][] {
  return recorded === undefined ? [] : JSON.parse(recorded)
}
