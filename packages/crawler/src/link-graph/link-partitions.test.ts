/** Links sorted by what they lead to, in memory and by way of files, and the texts chosen of them. */
import { existsSync, readdirSync } from 'node:fs'
import t from 'tap'
import { AnchorTexts } from './anchor-texts.js'
import { LinkPartitions, sourceOf, TITLE, textOf } from './link-partitions.js'

const seed = Number(process.env.SEED ?? Date.now() % 0x7fffffff)
t.comment(`SEED=${seed}`)
let state = seed >>> 0
const below = (bound: number): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return (state >>> 8) % bound
}

const TARGETS = 9000
const links = Array.from({ length: 40_000 }, () => {
  return { source: below(TARGETS + 1) - 1, target: below(TARGETS), text: `text ${below(50)} 字${below(9)}` }
})

/** Everything in order, as lines. */
async function contents(partitions: LinkPartitions): Promise<string[]> {
  const lines: string[] = []
  for (let p = 0; p < partitions.length; p++) {
    const { first, count, bytes, order, starts } = await partitions.read(p)
    for (let i = 0; i < count; i++) {
      for (let at = starts[i]!; at < starts[i + 1]!; at++) {
        lines.push(`${first + i} ${sourceOf(bytes, order[at]!)} ${textOf(bytes, order[at]!)}`)
      }
    }
  }
  return lines
}

t.test('the same in memory and in files, whatever the order', async (t) => {
  const dir = t.testdir({ left: { 'links-0.tmp': 'of a process that was killed' } })
  const roomy = await LinkPartitions.create(dir, TARGETS)
  for (const { source, target, text } of links) roomy.add(source, target, Buffer.from(text))
  await roomy.drain()
  t.notOk(existsSync(`${dir}/sorting`))
  const narrow = await LinkPartitions.create(dir, TARGETS, 50_000)
  for (const { source, target, text } of links) {
    narrow.add(source, target, Buffer.from(text))
    await narrow.drain()
  }
  t.ok(readdirSync(`${dir}/sorting`).length > 1)
  const expected = links
    .map((link, i) => ({ ...link, i }))
    .sort((a, b) => a.target - b.target || a.source - b.source || a.i - b.i)
    .map(({ target, source, text }) => `${target} ${source} ${text}`)
  t.same(await contents(roomy), expected)
  t.same(await contents(narrow), expected)
  await narrow.close()
  t.notOk(existsSync(`${dir}/sorting`))
})

t.test('texts are few, bounded, and in an order of their own', async (t) => {
  const chosen = async (
    given: readonly (readonly [source: number, target: number, text: string])[],
    sites: number[],
  ) => {
    const partitions = await LinkPartitions.create(t.testdir(), sites.length)
    for (const [source, target, text] of given) partitions.add(source, target, Buffer.from(text))
    const siteSizes = new Int32Array(Math.max(...sites) + 1)
    for (const site of sites) siteSizes[site]!++
    const texts = new AnchorTexts(Int32Array.from(sites), siteSizes)
    const partition = await partitions.read(0)
    texts.count(partition)
    return texts.choose(partition)
  }
  const sites = [0, 0, 0, 0, 1, 2]
  t.same(
    await chosen(
      [
        [TITLE, 0, 'The Loom of Kashmir'],
        [1, 0, 'loom'],
        [2, 0, 'weaving frame'],
        [3, 0, 'Weaving Frame'],
        [4, 0, '» weaving frame «'],
        [1, 0, 'Loo'],
        [4, 0, 'from another site'],
        [5, 0, 'from another site'],
        [1, 0, '1234'],
        [2, 0, 'Next'],
        [3, 0, 'https://loom.example/'],
        [1, 0, 'x'],
        [2, 0, 'y'.repeat(101)],
        [3, 1, '下一页'],
      ],
      sites,
    ),
    new Map([[0, 'Weaving Frame\nfrom another site']]),
    'those of most sites first, then of most pages; not what one page alone says where several link',
  )
  const many = Array.from(
    { length: 500 },
    (_, i) => [1 + (i % 3), 0, `name number ${String(i >> 1).padStart(3, '0')} of it`] as const,
  )
  const few = await chosen(many, sites)
  t.same(few, await chosen(many.toReversed(), sites))
  t.equal(few.get(0)!.split('\n').length, 12)
  // One site calls eleven pages the same; another one calls one of them so as well.
  const pages = Array.from({ length: 14 }, (_, i) => (i < 13 ? 0 : 1))
  const common = Array.from({ length: 11 }, (_, i) => [12, i, 'all alike'] as const)
  t.same(await chosen(common, pages), new Map())
  t.same(await chosen([...common, [13, 3, 'all alike']], pages), new Map([[3, 'all alike']]))
})
