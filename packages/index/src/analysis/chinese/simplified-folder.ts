/**
 * Traditional to simplified, one character for one (3,512 pairs of OpenCC's character table): text in either script is
 * found by queries in either. The phrase tables of OpenCC are left out on purpose: they make one character's folding
 * depend on its neighbours, and so a query's on what the user happened to type around it.
 */

import { crc32 } from '@spindle/core'
import traditionalToSimplified from 'opencc-js/dict/TSCharacters'
import { CharacterFolder } from '../bigram/character-folder.js'

/**
 * Characters that OpenCC's table leaves as they are, because either may be right, and that the two scripts write one for
 * the other (接著 and 接着, 瞭解 and 了解, 藉此 and 借此, 反覆 and 反复): folded to the second. 畫 and 划 (計畫, 计划) are
 * not among them, because 画 is a word of its own.
 */
const VARIANTS = '著着 瞭了 藉借 覆复 衞卫 敍叙 甦苏 簷檐 揹背 暱昵 甯宁 锺钟 鍾钟 迳径 睪睾 彷仿 枱台'

/** Compatibility forms and traditional characters to the usual simplified ones. */
export const simplifiedFolder = new CharacterFolder(function* () {
  for (const pair of traditionalToSimplified.split('|')) {
    const [from, to] = pair.split(' ')
    if (from !== undefined && to !== undefined) yield [from, to]
  }
  for (const pair of VARIANTS.split(' ')) yield [pair[0]!, pair[1]!]
})

/** Checksum of the table, for fingerprints. */
export function simplifiedChecksum(): number {
  return crc32(Buffer.from(`${traditionalToSimplified} ${VARIANTS}`))
}
