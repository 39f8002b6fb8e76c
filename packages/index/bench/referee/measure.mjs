/** Indexes with every engine, compares what they find, and times them in turns. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { compareHits, readResult } from './compare.mjs'
import { Peer } from './peer.mjs'

export const COMMANDS = ['TOP_10', 'TOP_10_COUNT', 'COUNT']
/** Passes over a class in one turn, and before the first round of a start. */
const PASSES = 2
const WARM_UP = 3

/**
 * @param segments into how many segments the indexes are cut
 * @returns indexing (CPU seconds, bytes), versions, mean microseconds by engine, command and class, and what differs
 */
export async function measureLayout(engines, corpus, segments, settings) {
  const chosen = engines.filter((engine) => engine.segments || segments === 1)
  const folderOf = ({ name }) => join(settings.cache, `${name}-${segments}`)
  const indexing = {}
  const kept = new Map()
  for (const engine of chosen) {
    const built = join(settings.cache, `${engine.name}-${segments}.json`)
    if (settings.reuse && existsSync(built) && !engine.inMemory) {
      indexing[engine.name] = JSON.parse(readFileSync(built, 'utf8'))
      continue
    }
    rmSync(folderOf(engine), { recursive: true, force: true })
    const peer = new Peer(engine.name, engine.command, settings.core)
    const [answer] = await peer.ask('index', corpus.file, folderOf(engine), segments)
    const [seconds, bytes] = answer.split('\t').map(Number)
    indexing[engine.name] = { seconds, bytes }
    writeFileSync(built, JSON.stringify(indexing[engine.name]))
    if (engine.inMemory) kept.set(engine, peer)
    else await peer.close()
  }

  const classes = corpus.classes.filter((name) => settings.classes.test(name))
  /** Times of the queries by `engine command class`. */
  const best = new Map()
  const versions = {}
  let comparison
  const load = loadavg()[1]
  for (let start = 0; start < settings.starts; start++) {
    const playing = chosen.filter((engine) => start < engine.starts)
    const peers = new Map()
    for (const engine of playing) {
      const peer = kept.get(engine) ?? new Peer(engine.name, engine.command, settings.core)
      const [opened] = await peer.ask('open', folderOf(engine), corpus.queries)
      const [version, count] = opened.split('\t')
      if (Number(count) !== (engine.segments ? segments : 1)) throw new Error(`${engine.name} has ${count} segments`)
      versions[engine.name] = version
      peers.set(engine, peer)
    }
    comparison ??= await compare(peers, corpus, classes)
    for (let round = settings.warm ? -1 : 0; round < settings.rounds; round++) {
      for (const command of COMMANDS) {
        for (const group of classes) {
          for (const [engine, peer] of round % 2 === 0 ? [...peers].reverse() : peers) {
            const fast = engine.rounds > 1
            if (round < 0 ? !fast : round >= engine.rounds) continue
            const passes = !fast ? 1 : round < 0 ? WARM_UP : PASSES
            const [answer] = await peer.ask('run', command, group, passes)
            if (round < 0) continue
            const times = answer.split(' ').map(Number)
            const key = [engine.name, command, group].join(' ')
            const known = best.get(key)
            best.set(key, known === undefined ? times : known.map((time, i) => Math.min(time, times[i])))
          }
        }
      }
      const done = `${segments} segment(s), start ${start + 1}, round ${round + 1} of ${settings.rounds}`
      if (process.stderr.isTTY) console.error(done)
    }
    for (const peer of peers.values()) await peer.close()
  }
  return { segments, load, indexing, versions, comparison, micros: means(best) }
}

/** Numbers of matches of all engines, and the best ten of those with the same formula, against the first engine. */
async function compare(peers, corpus, classes) {
  const [[, first], ...others] = peers
  const differences = []
  let queries = 0
  const matches = {}
  for (const group of classes) {
    const ours = (await first.ask('results', group)).map(readResult)
    queries += ours.length
    matches[group] = ours.reduce((sum, { count }) => sum + count, 0) / ours.length
    for (const [engine, peer] of others) {
      const theirs = (await peer.ask('results', group)).map(readResult)
      for (const [i, result] of theirs.entries()) {
        if (result === null) continue
        const counts = `${ours[i].count} matches, ${engine.label} ${result.count}`
        const differs =
          result.count !== ours[i].count ? counts : engine.ranks ? compareHits(ours[i].hits, result.hits) : null
        if (differs !== null) differences.push(`${group} ${corpus.texts[group][i]}: ${differs}`)
      }
    }
  }
  return { queries, matches, differences }
}

/** Means over the queries of each class, by engine, command and class; null where an engine cannot answer. */
function means(best) {
  const micros = {}
  for (const [key, times] of best) {
    const [engine, command, group] = key.split(' ')
    const sum = times.reduce((total, time) => total + time, 0)
    micros[engine] ??= {}
    micros[engine][command] ??= {}
    micros[engine][command][group] = Number.isNaN(sum) ? null : sum / times.length
  }
  return micros
}
