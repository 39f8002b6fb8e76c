/** A subcommand in a process of its own, as a person in another terminal has it. */
import { spawn } from 'node:child_process'

const ENTRY = `
  import { main } from ${JSON.stringify(new URL('../cli/main.js', import.meta.url).href)}
  process.exitCode = await main(process.argv.slice(1))
`

/** What a command said and how it ended. */
export interface CommandResult {
  readonly code: unknown
  /** standard output by lines, without empty ones */
  readonly lines: readonly string[]
  /** those of the lines that are JSON objects */
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of an event is the test's business
  readonly objects: readonly any[]
  /** standard error */
  readonly err: string
}

/** Runs `spindle …` to its end. */
export async function runCommand(...args: string[]): Promise<CommandResult> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', ENTRY, '--', ...args], {
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  const lines = out.split('\n').filter((line) => line !== '')
  return { code, lines, err, objects: lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)) }
}
