/** Start addresses in a file: one a line, `#` begins a comment. */
import { readFile } from 'node:fs/promises'
import { SpindleError } from '@spindle/core'
import { checkSeed } from '../spider.js'

/**
 * The addresses of a file in canonical form.
 * @throws SpindleError `SEED_INVALID` with file and line, also where the file holds no address
 */
export async function readSeedsFile(path: string): Promise<string[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new SpindleError(
      'SEED_INVALID',
      `The file of start addresses ${path} cannot be read (${(cause as Error).message}): check --seeds.`,
      { cause },
    )
  }
  const seeds: string[] = []
  for (const [i, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    // `#` after an address needs a blank before it, for it may be a fragment.
    const address = line.replace(/(^|\s)#.*$/, '').trim()
    if (address === '') continue
    try {
      seeds.push(checkSeed(address))
    } catch (cause) {
      throw new SpindleError(
        'SEED_INVALID',
        `Line ${i + 1} of ${path} is "${address.slice(0, 200)}", which is no start address: it must begin with http:// or https://.`,
        { cause },
      )
    }
  }
  if (seeds.length === 0) {
    throw new SpindleError(
      'SEED_INVALID',
      `The file ${path} holds no start address: write one a line, or leave --seeds out.`,
    )
  }
  return seeds
}
