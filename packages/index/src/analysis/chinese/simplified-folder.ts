/**
 * Traditional to simplified, one character for one (3,512 pairs of OpenCC's character table): text in either script is
 * found by queries in either. The phrase tables of OpenCC are left out on purpose: they make one character's folding
 * depend on its neighbours, and so a query's on what the user happened to type around it.
 */

import { crc32 } from '@spindle/core'
import traditionalToSimplified from 'opencc-js/dict/TSCharacters'
import { CharacterFolder } from '../bigram/character-folder.js'

/** Compatibility forms and traditional characters to the usual simplified ones. */
export const simplifiedFolder = new CharacterFolder(function* () {
  for (const pair of traditionalToSimplified.split('|')) {
    const [from, to] = pair.split(' ')
    if (from !== undefined && to !== undefined) yield [from, to]
  }
})

/** Checksum of the table, for fingerprints. */
export function simplifiedChecksum(): number {
  return crc32(Buffer.from(traditionalToSimplified))
}
