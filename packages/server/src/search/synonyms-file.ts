/** The list of synonyms as a file that is followed. */
import { SynonymMap } from '@spindle/index'
import type { FileKind } from './followed-file.js'

/** See `SynonymMap`. */
export const SYNONYMS_FILE: FileKind<SynonymMap> = {
  name: 'list of synonyms',
  setting: 'search.synonyms',
  code: 'SYNONYMS_INVALID',
  parse: (text, path) => SynonymMap.parse(text, path),
}
