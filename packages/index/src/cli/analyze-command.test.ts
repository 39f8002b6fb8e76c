import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { EnglishAnalyzer } from '../analysis/english/english-analyzer.js'
import { KeywordAnalyzer } from '../analysis/keyword-analyzer.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { type AnalyzedText, analyzeCommand } from './analyze-command.js'

const main = fileURLToPath(new URL('./main.js', import.meta.url))

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the command in a folder. */
async function command(t: Test, cwd: string, args: readonly string[]): Promise<Outcome> {
  const before = process.cwd()
  process.chdir(cwd)
  const out = t.capture(process.stdout, 'write', () => true)
  const err = t.capture(process.stderr, 'write', () => true)
  const textOf = (calls: readonly { readonly args: readonly unknown[] }[]): string =>
    calls.map((call) => String(call.args[0])).join('')
  try {
    const code = await analyzeCommand([...args])
    return { code, out: textOf(out()), err: textOf(err()) }
  } finally {
    out.restore()
    err.restore()
    process.chdir(before)
  }
}

/** Runs it in a process of its own. */
function commandOf(cwd: string, args: readonly string[], input: string): Outcome {
  const program = `import { main } from ${JSON.stringify(main)}; process.exitCode = await main(process.argv.slice(1))`
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', program, 'analyze', ...args],
    { cwd, input, encoding: 'utf8' },
  )
  return { code: status, out: stdout, err: stderr }
}

t.test('words of every layer with their places', async (t) => {
  const folder = t.testdir()
  const { code, out } = await command(t, folder, ['長江大橋', 'img_data'])
  t.equal(code, 0)
  t.match(out, /^chinese \(stemmer english\)\n\nmain layer \(positions\): 4 tokens\n {5}0 {2}长江 {6}0-2 {2}長江\n/)
  t.match(out, '\n  img_data  5-13\n  img       5-8\n')
  const english = ['--analyzer', 'english', '--stemmer', 'german', '--protect', 'Rom', '--json']
  const piped = commandOf(folder, english, 'Häuser Rom\n')
  const { analyzer, layers, query } = JSON.parse(piped.out) as AnalyzedText
  t.same(analyzer.settings, { stemmer: 'german', protectedWords: ['rom'] })
  t.same(layers[1]?.tokens[0], { term: 'haus', start: 0, end: 6, position: 0, text: 'Häuser' })
  t.equal(query, undefined)
  t.match(
    (await command(t, folder, ['--analyzer', 'keyword', 'a\u001b[31mb'])).out,
    'a\\u{1b}[31mb',
    'no control characters',
  )
})

t.test('a query is told as it is asked', async (t) => {
  const folder = t.testdir()
  const { out } = await command(t, folder, ['--query', '--field', 'title', '如何安装 C++'])
  t.match(out, '\nasked: (title#word:安装 (title:安装)^0.7) (title#word:c++)^1.7\n')
  t.notMatch(out, '如何')
  t.equal((JSON.parse((await command(t, folder, ['--query', '--json', '…'])).out) as AnalyzedText).query, null)
})

t.test('the analyzers are those of the index', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'data', 'index')
  const writer = await IndexWriter.open(path, {
    analyzer: new EnglishAnalyzer({ stemmer: 'none' }),
    analyzers: { code: new KeywordAnalyzer() },
  })
  await writer.addDocument(new Document().add(Field.text('body', 'x')).add(Field.text('code', 'x')))
  await writer.close()
  for (const args of [[], ['--index', 'data'], ['--index', path]]) {
    t.match((await command(t, folder, [...args, 'Running dogs'])).out, /^english \(stemmer none\)/)
  }
  t.match((await command(t, folder, ['--field', 'code', 'Running dogs'])).out, /^keyword\n[\s\S]*Running dogs {2}0-12/)
  t.match((await command(t, folder, ['--analyzer', 'chinese', 'x'])).out, /^chinese/)
})

t.test('mistakes are told', async (t) => {
  const folder = t.testdir()
  for (const [args, code, message] of [
    [['--stemmer', 'klingon', 'x'], 2, /There is no stemmer "klingon": take arabic/],
    [['--analyzer', 'nobody', 'x'], 2, /No analyzer is registered under the name "nobody"/],
    [['--index', '.', '--analyzer', 'english', 'x'], 2, /give --index or the analyzer, not both/],
    [['--index', 'missing', 'x'], 1, /There is no index in/],
    [['--nonsense'], 2, /see spindle analyze --help/],
  ] as const) {
    const result = await command(t, folder, args)
    t.equal(result.code, code, args.join(' '))
    t.match(result.err, message)
    t.equal(result.out, '')
  }
  t.match((await command(t, folder, ['--help'])).out, 'Usage: spindle analyze')
})
