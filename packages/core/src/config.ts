/**
 * Settings from four places, the later ones winning: defaults, a configuration file, the environment (`SPINDLE_…`) and
 * the command line. Each program owns its table of options; this file only finds, reads, merges and checks.
 */
import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SpindleError, systemCode } from './errors.js'

/** One option of a program. */
export interface OptionSpec<T> {
  readonly default: T
  /** One line for the documentation and the error message: what the value must be. */
  readonly expects: string
  /** The value in its type, or undefined where it is not valid. Strings come from the environment and the command line. */
  readonly parse: (value: unknown) => T | undefined
  /** For values of many parts: what is wrong with one that is not valid, naming the part. */
  readonly explain?: (value: unknown) => string | undefined
}

/** A program's options by name (camelCase). */
export type OptionTable<C> = { readonly [K in keyof C]: OptionSpec<C[K]> }

/** Where settings come from. */
export interface ConfigSource {
  /** Path of a configuration file that must exist. Where left out, `spindle.config.json`, `.mjs` or `.ts` of `cwd` is used if there is one. */
  readonly file?: string
  /** Folder for relative paths. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Values from the command line; undefined ones count as not given. */
  readonly flags?: Readonly<Record<string, unknown>>
  /**
   * Key of the object in the configuration file that holds this program's options. At the top of the file stand only the
   * sections of all programs and the options that they share. Left out: all options stand at the top.
   */
  readonly section?: string
}

/** Sections of a configuration file, one a program. */
export const CONFIG_SECTIONS: readonly string[] = ['server', 'search', 'crawl', 'index']
/** Options that all programs share; they stand at the top of the file. */
export const SHARED_OPTIONS: readonly string[] = ['data']

const FILE_NAMES = ['spindle.config.json', 'spindle.config.mjs', 'spindle.config.ts']

/**
 * The settings of a program, every option set.
 * @throws SpindleError `CONFIG_INVALID` naming the source, the key, the value found and what is expected
 */
export async function loadConfig<C>(options: OptionTable<C>, source: ConfigSource = {}): Promise<C> {
  const cwd = source.cwd ?? process.cwd()
  const values = new Map<string, unknown>()
  const names = Object.keys(options) as (keyof C & string)[]
  for (const name of names) values.set(name, options[name].default)

  const set = (name: string, value: unknown, where: string, label = name): void => {
    if (!Object.hasOwn(options, name)) {
      throw noOption(where, name, names)
    }
    const spec = options[name as keyof C]
    const parsed = spec.parse(value)
    if (parsed === undefined) {
      const problem = spec.explain?.(value)
      throw new SpindleError(
        'CONFIG_INVALID',
        problem === undefined
          ? `${where} sets "${label}" to ${show(value)}, which must be ${spec.expects}.`
          : `${where} has a mistake in "${label}": ${problem}.`,
      )
    }
    values.set(name, parsed)
  }

  const file = await readConfigFile(source.file, cwd)
  if (file !== undefined) {
    const where = `The configuration file ${file.path}`
    if (source.section === undefined) {
      for (const [name, value] of Object.entries(file.content)) if (name !== '$schema') set(name, value, where)
    } else for (const entry of sectionEntries(file.content, source.section, names, where)) set(...entry)
  }
  for (const name of names) {
    const variable = `SPINDLE_${name.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase()}`
    const value = source.env?.[variable]
    if (value !== undefined) set(name, value, `The environment variable ${variable}`)
  }
  for (const [name, value] of Object.entries(source.flags ?? {})) {
    if (value === undefined || !Object.hasOwn(options, name)) continue
    set(name, value, `The flag --${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`)
  }
  return Object.fromEntries(values) as C
}

/** What a file with sections says to one program: the shared options and those of its section. */
function* sectionEntries(
  content: Readonly<Record<string, unknown>>,
  section: string,
  names: readonly string[],
  where: string,
): Generator<[name: string, value: unknown, where: string, label: string]> {
  for (const [name, value] of Object.entries(content)) {
    if (SHARED_OPTIONS.includes(name)) {
      // Not every section has all of them.
      if (names.includes(name)) yield [name, value, where, name]
    } else if (CONFIG_SECTIONS.includes(name)) {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) continue
      throw new SpindleError('CONFIG_INVALID', `${where} sets "${name}" to ${show(value)}, which must be an object.`)
    } else if (name !== '$schema') throw noOption(where, name, [...SHARED_OPTIONS, ...CONFIG_SECTIONS])
  }
  const own = names.filter((name) => !SHARED_OPTIONS.includes(name))
  for (const [name, value] of Object.entries((content[section] ?? {}) as Record<string, unknown>)) {
    if (!own.includes(name))
      throw noOption(
        where,
        `${section}.${name}`,
        own.map((option) => `${section}.${option}`),
      )
    yield [name, value, where, `${section}.${name}`]
  }
}

function noOption(where: string, name: string, choices: readonly string[]): SpindleError {
  return new SpindleError(
    'CONFIG_INVALID',
    `${where} sets "${name}", which is no option: choose one of ${choices.join(', ')}.`,
  )
}

async function readConfigFile(
  file: string | undefined,
  cwd: string,
): Promise<{ path: string; content: Record<string, unknown> } | undefined> {
  for (const name of file === undefined ? FILE_NAMES : [file]) {
    const path = resolve(cwd, name)
    let content: unknown
    try {
      const text = await readFile(path, 'utf8')
      content = extname(path) === '.json' ? JSON.parse(text) : (await import(pathToFileURL(path).href)).default
    } catch (cause) {
      if (systemCode(cause) === 'ENOENT' && file === undefined) continue
      throw new SpindleError(
        'CONFIG_INVALID',
        `The configuration file ${path} cannot be read (${(cause as Error).message}): correct it or leave --config out.`,
        { cause },
      )
    }
    if (typeof content !== 'object' || content === null || Array.isArray(content)) {
      throw new SpindleError(
        'CONFIG_INVALID',
        `The configuration file ${path} must hold one object, and it holds ${show(content)}.`,
      )
    }
    return { path, content: content as Record<string, unknown> }
  }
  return undefined
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
