/** Ways to answer the queries of a collection, and what they reach. */
import { evaluateRun, parseMeasure } from '@spindle/index'
import * as OpenCC from 'opencc-js'
import { searchRequest } from '../../dist/search/search-request.js'
import { recordId } from './collection.mjs'

export const MEASURES = ['map', 'ndcg@10', 'mrr', 'p@10', 'recall@100', 'success@1'].map(parseMeasure)

export const DEPTH = 1000

/** As the result page does. */
export function productRanking({ backend }) {
  return async (text) => {
    const { request } = searchRequest({ q: text }, true)
    const pages = await backend.rank(request, DEPTH)
    return pages.map(({ addresses, score }) => ({ id: recordId(addresses[0]), score }))
  }
}

/** @param topics those of the collection where not given */
export async function evaluate({ topics, judgements }, ranking, asked = topics) {
  const run = new Map()
  for (const [id, text] of asked) run.set(id, await ranking(text))
  return { run, evaluation: evaluateRun(run, judgements, MEASURES) }
}

const toTraditional = OpenCC.Converter({ from: 'cn', to: 'tw' })
const toSimplified = OpenCC.Converter({ from: 'tw', to: 'cn' })

/** Queries in the script that they are not in. */
export function inOtherScript(topics) {
  let simplified = 0
  for (const text of topics.values()) if (toSimplified(text) === text) simplified++
  const convert = simplified * 2 > topics.size ? toTraditional : toSimplified
  return new Map([...topics].map(([id, text]) => [id, convert(text)]))
}
