/** The section `index` of the configuration: what decides how texts become an index; for all who write or search one. */
import { resolve } from 'node:path'
import type { OptionSpec, OptionTable } from './config.js'
import type { DataDir } from './data-dir.js'
import { textOption } from './option-specs.js'

/** Settings of the index; undefined where it stays as it was made. */
export interface IndexConfig {
  /** Languages by whose rules words are stemmed, or `none`; of several, each for words of its script. */
  readonly stemmer: readonly string[] | undefined
  /** Words that are not stemmed. */
  readonly protectedWords: readonly string[] | undefined
  /** Path of the dictionary of the user; `dictionary.txt` in the data folder where undefined. */
  readonly dictionary: string | undefined
}

/** The table of the section. */
export const indexOptions: OptionTable<IndexConfig> = {
  stemmer: namesOption('a language such as english, a list of them, or none', /^[a-z]+$/),
  protectedWords: namesOption('a list of words', /\S/),
  dictionary: textOption<string | undefined>(undefined, 'the path of a file'),
}

/** Where the dictionary of the user is, or would be. */
export function dictionaryPath({ dictionary }: Pick<IndexConfig, 'dictionary'>, data: DataDir): string {
  return dictionary === undefined ? data.dictionary : resolve(dictionary)
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
