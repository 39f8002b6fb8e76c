/** PageRank and HITS: graphs worked out by hand, networkx and SciPy on 100,000 nodes, and what weights are for. */
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { Random, testSeed } from '../test-support/random.js'
import { hits } from './hits.js'
import { LinkGraph } from './link-graph.js'
import { pageRank } from './page-rank.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)

type Link = readonly [from: number, to: number]

function graphOf(nodes: number, links: readonly Link[], groups?: readonly number[]): LinkGraph {
  return LinkGraph.fromLinks(
    nodes,
    links.map(([from]) => from),
    links.map(([, to]) => to),
    groups === undefined ? null : Int32Array.from(groups),
  )
}

function near(t: Test, found: ArrayLike<number>, wanted: readonly number[], slack: number, name: string): void {
  const far = wanted.findIndex((value, i) => !(Math.abs(found[i] - value) <= slack))
  t.equal(far, -1, far < 0 ? name : `${name}: number ${far} is ${found[far]}, not ${wanted[far]}`)
}

t.test('a graph drops loops and repetitions, whatever the order of its links', (t) => {
  const links: Link[] = [
    [2, 1],
    [0, 1],
    [1, 1],
    [2, 1],
    [1, 0],
  ]
  const graph = graphOf(3, links)
  t.same([...graph.starts], [0, 1, 3, 3])
  t.same([...graph.sources], [1, 0, 2])
  t.same([...graph.outDegrees], [1, 1, 1])
  t.equal(graph.linkCount, 3)
  t.same([...graphOf(3, links, [9, 1, 0]).sources], [1, 2, 0], 'by group first')
  t.throws(() => graphOf(2, [[0, 2]]), RangeError)
  t.throws(() => graphOf(2, [[2, 0]]), RangeError)
  t.throws(() => graphOf(2, [[0, 1]], [1]), RangeError)
  t.throws(() => LinkGraph.fromLinks(2, [0, 1], [1]), RangeError)
  t.throws(() => new LinkGraph(Uint32Array.of(0, 2, 1), Int32Array.of(0, 1)), RangeError)
  t.end()
})

t.test('ranks worked out by hand', (t) => {
  // 0 ⇄ 1 share all there is: W = 0.15 + 0.85 W.
  near(
    t,
    pageRank(
      graphOf(2, [
        [0, 1],
        [1, 0],
      ]),
    ).ranks,
    [1, 1],
    1e-8,
    'two that link to each other',
  )
  // a = 0.15 + 0.85 (b + c), b = c = 0.15 + 0.85 a / 2.
  const a = (0.15 + 0.85 * 0.3) / (1 - 0.85 * 0.85)
  const b = 0.15 + (0.85 * a) / 2
  near(
    t,
    pageRank(
      graphOf(3, [
        [0, 1],
        [0, 2],
        [1, 0],
        [2, 0],
      ]),
    ).ranks,
    [a, b, b],
    1e-8,
    'a star',
  )
  // 1 has no link: x = 0.15 + 0.85 y / 2, y = x + 0.85 x.
  const x = 0.15 / (1 - 0.425 * 1.85)
  near(t, pageRank(graphOf(2, [[0, 1]])).ranks, [x, 1.85 * x], 1e-8, 'a page without links')
  near(t, pageRank(graphOf(4, [])).ranks, [1, 1, 1, 1], 0, 'no links at all')
  t.same([...pageRank(graphOf(0, [])).ranks], [])
  near(t, pageRank(graphOf(2, [[0, 1]]), { damping: 0 }).ranks, [1, 1], 0, 'a surfer who follows no link')
  const short = pageRank(graphOf(2, [[0, 1]]), { maxIterations: 3 })
  t.equal(short.iterations, 3)
  t.ok(short.change > 1e-9)
  for (const damping of [1, -0.1, Number.NaN]) t.throws(() => pageRank(graphOf(1, []), { damping }), RangeError)
  t.throws(() => pageRank(graphOf(1, []), { ownWeight: 0 }), RangeError)
  t.throws(() => hits(graphOf(1, []), { tolerance: Number.NaN }), RangeError)
  t.end()
})

t.test('hubs and authorities worked out by hand', (t) => {
  // 0 links to 2 and 3, 1 to 3 alone. h0² = (3 + √5) / 2 h1² and so on: the golden ratio.
  const golden = (1 + Math.sqrt(5)) / 2
  const { hubs, authorities } = hits(
    graphOf(4, [
      [0, 2],
      [0, 3],
      [1, 3],
    ]),
    { tolerance: 1e-12, maxIterations: 500 },
  )
  const scale = 4 / (golden + 1)
  near(t, hubs, [golden * scale, scale, 0, 0], 1e-9, 'hubs')
  near(t, authorities, [0, 0, scale, golden * scale], 1e-9, 'authorities')
  const none = hits(graphOf(3, []))
  t.same([...none.hubs, ...none.authorities], [0, 0, 0, 0, 0, 0])
  t.end()
})

t.test('the same as networkx and SciPy find on 100,000 nodes', (t) => {
  // The generator of expected-ranks.py.
  const nodes = 100_000
  let state = 20_261_130
  const below = (bound: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % bound
  }
  const from: number[] = []
  const to: number[] = []
  for (let i = 0; i < 600_000; i++) {
    const source = below(nodes)
    const target = below(below(below(nodes) + 1) + 1)
    if (source % 5 === 4) continue
    from.push(source)
    to.push(target)
  }
  const groups = Int32Array.from({ length: nodes }, (_, i) => (i * i) % 499)
  const expected = JSON.parse(
    readFileSync(new URL('../../src/link-rank/expected-ranks.json', import.meta.url), 'utf8'),
  ) as { links: number; step: number; sampled: Record<string, number[]>; best: Record<string, number[]> }
  const plain = LinkGraph.fromLinks(nodes, from, to)
  t.equal(plain.linkCount, expected.links)
  const grouped = LinkGraph.fromLinks(nodes, from, to, groups)
  t.equal(grouped.linkCount, expected.links)
  const exact = { tolerance: 1e-10, maxIterations: 1000 }
  const plainHits = hits(plain, exact)
  const groupedHits = hits(grouped, exact)
  const found: Record<string, Float64Array> = {
    pageRank: pageRank(plain, exact).ranks,
    hubs: plainHits.hubs,
    authorities: plainHits.authorities,
    groupedPageRank: pageRank(grouped, exact).ranks,
    groupedHubs: groupedHits.hubs,
    groupedAuthorities: groupedHits.authorities,
  }
  for (const [name, ranks] of Object.entries(found)) {
    const wanted = expected.sampled[name]
    const worst = wanted.map((value, i) => Math.abs(ranks[i * expected.step] - value) / Math.max(value, 1e-3))
    t.ok(Math.max(...worst) < 1e-6, `${name}: at most ${Math.max(...worst).toExponential(1)} apart`)
    const best = [...ranks.keys()].sort((a, b) => ranks[b] - ranks[a] || a - b)
    t.same(best.slice(0, 20), expected.best[name], `the best by ${name}`)
    const mean = ranks.reduce((sum, rank) => sum + rank, 0) / nodes
    t.ok(Math.abs(mean - 1) < 1e-9, `${name}: mean ${mean}`)
  }
  const usual = pageRank(plain)
  t.ok(usual.iterations < 200 && usual.change <= 1e-9, `${usual.iterations} iterations`)
  t.end()
})

t.test('ranks are those of the same pages in any order', (t) => {
  const random = new Random(seed)
  for (let round = 0; round < 20; round++) {
    const nodes = 2 + random.below(30)
    const groups = Array.from({ length: nodes }, () => random.below(4))
    const links = Array.from({ length: random.below(120) }, () => [random.below(nodes), random.below(nodes)] as const)
    const names = Array.from({ length: nodes }, (_, i) => i)
    for (let i = nodes - 1; i > 0; i--) {
      const j = random.below(i + 1)
      ;[names[i], names[j]] = [names[j], names[i]]
    }
    const renamed = links.map(([from, to]) => [names[from], names[to]] as const).reverse()
    const renamedGroups: number[] = []
    for (const [i, name] of names.entries()) renamedGroups[name] = groups[i] + 7
    const one = pageRank(graphOf(nodes, links, groups)).ranks
    const other = pageRank(graphOf(nodes, renamed, renamedGroups)).ranks
    near(
      t,
      names.map((name) => other[name]),
      [...one],
      1e-7,
      `round ${round}`,
    )
  }
  t.end()
})

t.test('a farm of links loses against pages that others name', (t) => {
  // 2,000 pages of site 1 link to page 0 of their own and to nothing else; ten other sites name page 1 of site 2, each on a page
  // that itself is named by the nine others.
  const links: Link[] = []
  const groups = [1, 2]
  const add = (group: number): number => groups.push(group) - 1
  for (let i = 0; i < 2000; i++) links.push([add(1), 0])
  const sites = Array.from({ length: 10 }, (_, i) => add(10 + i))
  for (const site of sites) {
    links.push([site, 1])
    for (const other of sites) if (other !== site) links.push([site, other])
  }
  const plain = pageRank(graphOf(groups.length, links)).ranks
  t.ok(plain[0] > 10 * plain[1], `without weights the farm wins: ${plain[0]} against ${plain[1]}`)
  const weighted = pageRank(graphOf(groups.length, links, groups)).ranks
  t.ok(weighted[1] > weighted[0], `with weights: ${weighted[1]} against ${weighted[0]}`)
  // The same for hubs: a page that links to 2,000 pages of its own site, against one that links to the ten sites.
  const hub = add(3)
  for (const site of sites) links.push([hub, site])
  const menu = add(1)
  for (let i = 2; i < 2002; i++) links.push([menu, i])
  const { hubs } = hits(graphOf(groups.length, links, groups))
  t.ok(hubs[hub] > hubs[menu], `${hubs[hub]} against ${hubs[menu]}`)
  t.end()
})

t.test('in a graph of one group own links weigh as any', (t) => {
  const links: Link[] = [
    [0, 1],
    [1, 2],
    [2, 0],
    [3, 0],
    [0, 3],
    [3, 1],
  ]
  const one = pageRank(graphOf(4, links, [5, 5, 5, 5])).ranks
  const other = pageRank(graphOf(4, links, [5, 5, 5, 5]), { ownWeight: 1 }).ranks
  near(t, one, [...other], 1e-8, 'the same ranks')
  t.end()
})
