/** The section `index` of the configuration: what decides how texts become an index. */
import type { OptionSpec, OptionTable } from './config.js'

/** Settings of the index; undefined where it stays as it was made. */
export interface IndexConfig {
  /** Languages by whose rules words are stemmed, or `none`; of several, each for words of its script. */
  readonly stemmer: readonly string[] | undefined
  /** Words that are not stemmed. */
  readonly protectedWords: readonly string[] | undefined
}

/** The table of the section. */
export const indexOptions: OptionTable<IndexConfig> = {
  stemmer: namesOption('a language such as english, a list of them, or none', /^[a-z]+$/),
  protectedWords: namesOption('a list of words', /\S/),
}

/** A list, or a text with commas. */
function namesOption(expects: string, name: RegExp): OptionSpec<readonly string[] | undefined> {
  return {
    default: undefined,
    expects,
    parse(value) {
      const list = typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value
      const isList = Array.isArray(list) && list.length > 0
      return isList && list.every((part) => typeof part === 'string' && name.test(part))
        ? (list as string[])
        : undefined
    },
  }
}
