/** What decides on the answer to a query beside the index: weights, and the files that are followed. */
import type { SynonymMap } from '@spindle/index'
import { FollowedFile, type FollowedFileOptions } from './followed-file.js'
import { DEFAULT_RANKING, type Ranking } from './ranking.js'
import { SEARCH_RULES_FILE, type SearchRules } from './search-rules.js'
import { SYNONYMS_FILE } from './synonyms-file.js'

/** The section `search` of the configuration. */
export interface SearchConfig {
  /** Path of a list of synonyms; none where undefined. */
  readonly synonyms?: string | undefined
  /** Path of the rules of the search; none where undefined. */
  readonly rules?: string | undefined
  /** What hits are ordered by; {@link DEFAULT_RANKING} where undefined. */
  readonly ranking?: Ranking | undefined
}

/** The settings of one moment. */
export interface QuerySettings {
  readonly ranking: Ranking
  readonly synonyms: SynonymMap | undefined
  readonly rules: SearchRules | undefined
  /** Another text, other settings. */
  readonly revision: string
}

/** See the head of this file. */
export class SearchSettings {
  readonly #ranking: Ranking
  readonly #synonyms: FollowedFile<SynonymMap> | undefined
  readonly #rules: FollowedFile<SearchRules> | undefined

  private constructor(
    ranking: Ranking,
    synonyms: FollowedFile<SynonymMap> | undefined,
    rules: FollowedFile<SearchRules> | undefined,
  ) {
    this.#ranking = ranking
    this.#synonyms = synonyms
    this.#rules = rules
  }

  /** @throws SpindleError `SYNONYMS_INVALID`, `SEARCH_RULES_INVALID` */
  static async open(config: SearchConfig, options: FollowedFileOptions): Promise<SearchSettings> {
    const { synonyms, rules, ranking = DEFAULT_RANKING } = config
    const list = synonyms === undefined ? undefined : await FollowedFile.open(synonyms, SYNONYMS_FILE, options)
    try {
      const file = rules === undefined ? undefined : await FollowedFile.open(rules, SEARCH_RULES_FILE, options)
      return new SearchSettings(ranking, list, file)
    } catch (error) {
      await list?.close()
      throw error
    }
  }

  get current(): QuerySettings {
    return {
      ranking: this.#ranking,
      synonyms: this.#synonyms?.value,
      rules: this.#rules?.value,
      revision: `${this.#synonyms?.revision ?? 0} ${this.#rules?.revision ?? 0}`,
    }
  }

  /** Looks at the files now. */
  async lookNow(): Promise<void> {
    await Promise.all([this.#synonyms?.lookNow(), this.#rules?.lookNow()])
  }

  async close(): Promise<void> {
    await Promise.all([this.#synonyms?.close(), this.#rules?.close()])
  }
}
