/** `spindle dictionary`: the words of the user, and the index made anew where they stand. */
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  counted,
  DataDir,
  isSpindleError,
  makeDirectory,
  SpindleError,
  systemCode,
  writeFileAtomic,
} from '@spindle/core'
import { isDictionaryWord, printEntry, readUserDictionary, UserDictionary } from '@spindle/index'
import { applyDictionary } from '../indexing/apply-dictionary.js'
import { type DataFlags, loadDataConfig, loadIndexSettings } from './data-folder.js'
import { watchInterrupt } from './interrupt.js'

/** What the command line says. */
export interface DictionaryFlags extends DataFlags {
  /** False to change the file alone. */
  readonly apply?: boolean
}

const ACTIONS = ['list', 'add', 'remove', 'apply']

/** @returns the exit code */
export async function dictionaryCommand(
  action: string | undefined,
  [word, weight, ...rest]: readonly string[],
  flags: DictionaryFlags,
): Promise<number> {
  const { data } = await loadDataConfig(flags)
  const { dictionary: path } = await loadIndexSettings(flags, data)
  const name = action ?? 'list'
  if (!ACTIONS.includes(name)) {
    throw new SpindleError('CONFIG_INVALID', `A dictionary cannot ${name}: choose one of ${ACTIONS.join(', ')}.`)
  }
  const most = name === 'add' ? 2 : name === 'remove' ? 1 : 0
  const given = [word, weight, ...rest].filter((one) => one !== undefined).length
  if (given > most || (most > 0 && given === 0)) {
    throw new SpindleError('CONFIG_INVALID', `spindle dictionary ${name} takes ${USES[name]}.`)
  }
  if (name === 'list') return list(path)
  if (name === 'add') await add(path, word!, weight)
  else if (name === 'remove') await remove(path, word!)
  return name !== 'apply' && flags.apply === false ? 0 : apply(data, path, name === 'apply')
}

const USES: Readonly<Record<string, string>> = {
  list: 'nothing more',
  add: 'a word, and its weight where wanted',
  remove: 'a word',
  apply: 'nothing more',
}

async function list(path: string): Promise<number> {
  const dictionary = await readUserDictionary(path)
  for (const entry of dictionary.entries) process.stdout.write(`${printEntry(entry)}\n`)
  const { unused, size } = dictionary
  process.stderr.write(`${counted(size, 'word')} in ${path}\n`)
  if (unused.length > 0) {
    const shown = unused.slice(0, 5).join(', ')
    process.stderr.write(
      `${counted(unused.length, 'line')} without effect, for letters, digits and blanks cut a text anyway (${shown}${unused.length > 5 ? ' …' : ''})\n`,
    )
  }
  return 0
}

/** Puts a word in the place of its line, or behind the others. */
async function add(path: string, word: string, weight: string | undefined): Promise<void> {
  if (!isDictionaryWord(word)) {
    throw new SpindleError(
      'CONFIG_INVALID',
      `${JSON.stringify(word)} is no word for a dictionary: one has 1 to 64 Chinese, Japanese or Korean characters and nothing else.`,
    )
  }
  if (weight !== undefined && !/^\d+(?:\.\d+)?$/.test(weight)) {
    throw new SpindleError(
      'CONFIG_INVALID',
      `The weight ${JSON.stringify(weight)} must be a number: how often the word stands among 60 million words, or 0 where it is none.`,
    )
  }
  const line = weight === undefined ? word : `${word} ${weight}`
  const lines = await linesWithout(path, word)
  lines.splice(lines.at(-1) === '' ? -1 : lines.length, 0, line)
  await write(path, lines)
}

async function remove(path: string, word: string): Promise<void> {
  if ((await readUserDictionary(path)).get(word) === undefined) {
    throw new SpindleError(
      'CONFIG_INVALID',
      `${JSON.stringify(word)} is not in ${path}: to make it no word, add it with the weight 0.`,
    )
  }
  await write(path, await linesWithout(path, word))
}

/** The lines of a file that is in order, without those of a word, in either script. */
async function linesWithout(path: string, word: string): Promise<string[]> {
  if ((await readUserDictionary(path)).size === 0 && !(await exists(path))) return ['']
  const text = await readFile(path, 'utf8')
  return text.split('\n').filter((line) => UserDictionary.parse(line, path).get(word) === undefined)
}

async function exists(path: string): Promise<boolean> {
  try {
    await readFile(path)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}

async function write(path: string, lines: readonly string[]): Promise<void> {
  const text = lines.join('\n')
  UserDictionary.parse(text, path)
  await makeDirectory(dirname(path))
  await writeFileAtomic(path, text.endsWith('\n') || text === '' ? text : `${text}\n`)
}

async function apply(data: string, dictionary: string, mustHaveIndex: boolean): Promise<number> {
  const interrupt = watchInterrupt(() => process.stderr.write('Stopping; the same command goes on with the rest.\n'))
  try {
    const { end, words, documents } = await applyDictionary({ data, dictionary, signal: interrupt.signal })
    if (end === 'busy') {
      process.stdout.write('A crawl, or another process, has the index: the words are taken up there.\n')
      return 0
    }
    process.stdout.write(
      `${counted(words, 'word')}; ${counted(documents, 'document')} analyzed again in ${new DataDir(data).index}\n`,
    )
    return end === 'done' ? 0 : interrupt.signal.aborted ? 130 : 0
  } catch (error) {
    // Words may come before pages.
    if (isSpindleError(error, 'INDEX_NOT_FOUND') && !mustHaveIndex) return 0
    throw error
  } finally {
    interrupt.dispose()
  }
}
