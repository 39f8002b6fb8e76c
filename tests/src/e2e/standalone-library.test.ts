/** The index library alone: packed, unpacked into a scratch project without the workspace, used as the README says. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { projectRoot, SpindleProcess } from '../support/spindle-process.js'

const run = promisify(execFile)

/** The code block of the README's section on the library. */
async function readmeExample(): Promise<string> {
  const readme = await readFile(join(projectRoot, 'README.md'), 'utf8')
  const block = /## The index as a library[\s\S]*?```js\n([\s\S]*?)```/.exec(readme)
  if (block === null) throw new Error('the README has no example of the library')
  return block[1]!
}

/** Packs a package and unpacks it as an install would; third-party packages are those that it declares, no others. */
async function install(name: string, scratch: string): Promise<string[]> {
  const source = join(projectRoot, 'packages', name)
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', scratch], { cwd: source })
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }]
  const target = join(scratch, 'node_modules', '@spindle', name)
  await mkdir(target, { recursive: true })
  await run('tar', ['-xzf', join(scratch, filename), '-C', target, '--strip-components=1'])
  const { dependencies = {} } = JSON.parse(await readFile(join(target, 'package.json'), 'utf8'))
  for (const dependency of Object.keys(dependencies).filter((key) => !key.startsWith('@spindle/'))) {
    const from = await realpath(join(projectRoot, 'node_modules', dependency))
    await cp(from, join(scratch, 'node_modules', dependency), { recursive: true })
  }
  return files.map((file) => file.path)
}

t.test('an index made by the packed library alone is searched by the server', async (t) => {
  const scratch = t.testdir()
  const files = [...(await install('core', scratch)), ...(await install('index', scratch))]
  t.ok(files.includes('dist/index.js') && files.includes('dist/index.d.ts'))
  t.notOk(
    files.some((file) => /\.test\.|tsbuildinfo/.test(file)),
    'tests are not packed',
  )
  t.strictSame((await readdir(join(scratch, 'node_modules', '@spindle'))).sort(), ['core', 'index'])

  await writeFile(join(scratch, 'package.json'), '{ "type": "module" }')
  await writeFile(join(scratch, 'example.js'), await readmeExample())
  const { stdout } = await run(process.execPath, ['example.js'], { cwd: scratch })
  t.match(stdout, /^\d\.\d+ 北京天安门广场\n$/, 'the example of the README prints its hit')

  // The same library, the page fields that the server shows.
  const program = `
    import { ChineseAnalyzer, Document, Field, IndexWriter } from '@spindle/index'
    const writer = await IndexWriter.open('data/index', { analyzer: new ChineseAnalyzer() })
    for (let i = 0; i < 25; i++) {
      const doc = new Document()
      doc.add(Field.keyword('url', 'https://example.org/' + i))
      doc.add(Field.text('title', '第' + i + '页：北京天安门广场'))
      doc.add(Field.text('body', i % 2 === 0 ? '上海的天气 library hours' : '海上的天气'))
      await writer.addDocument(doc)
    }
    await writer.commit()
    await writer.close()`
  await mkdir(join(scratch, 'data'))
  await writeFile(join(scratch, 'make.js'), program)
  await run(process.execPath, ['make.js'], { cwd: scratch })

  const serve = new SpindleProcess(['serve', '--port', '0', '--data', join(scratch, 'data')])
  t.teardown(() => serve.stop())
  const [address] = await serve.waitFor(/http:\/\/(?:localhost|127\.0\.0\.1):\d+/)
  for (const [query, total] of [
    ['天安门', 25],
    ['上海', 13],
    ['海上', 12],
    ['"library hours"', 13],
    ['url:"https://example.org/7"', 1],
  ] as const) {
    const response = await fetch(`${address}/api/v1/search?q=${encodeURIComponent(query)}`)
    const answer = (await response.json()) as { total: number; hits: { url: string; title: string }[] }
    t.equal(answer.total, total, query)
    t.match(answer.hits[0]?.url, /^https:\/\/example\.org\/\d+$/)
  }
})
