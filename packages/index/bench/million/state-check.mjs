/**
 * Holds what a searcher finds against what was written: one status document, replaced with every commit, tells how many
 * documents there are; counts never go down; a document is found as soon as what holds it can be seen.
 */
import { MatchAllQuery, Term, TermQuery } from '../../dist/index.js'
import { byId, ensure, plantedWord } from './measure.mjs'

export class StateCheck {
  #documents = 0
  #counts = new Map()
  #planted = 0

  /**
   * @param committed what the writer has told: number of planted documents, all of which must be found
   * @param isExact whether the status document was written last
   */
  async check(searcher, planted, isExact) {
    const { reader } = searcher
    const all = await searcher.count(new MatchAllQuery())
    ensure(all === reader.numDocs, `${all} documents match all of ${reader.numDocs}`)
    ensure(all >= this.#documents, `${all} documents after ${this.#documents}`)
    this.#documents = all
    const status = await searcher.search(byId('status'))
    ensure(status.length === 1, `${status.length} status documents`)
    const told = Number((await status.doc(0)).get('length'))
    ensure(isExact ? told === all : told <= all, `${all} documents where the status tells ${told}`)
    ensure(reader.userData.documents === undefined || Number(reader.userData.documents) <= all, 'an old state')
    for (let i = Math.max(1, this.#planted); i <= planted; i++) {
      const hits = await searcher.search(new TermQuery(new Term('text', plantedWord(i))))
      ensure(hits.length === 1, `${hits.length} documents with ${plantedWord(i)}`)
      ensure((await hits.doc(0)).get('id') === `planted${i}`, 'another document than the one planted')
    }
    this.#planted = planted
  }

  /** Asks one question: the number of answers may only grow, and the hits are documents that were added. */
  async ask(searcher, text, query) {
    const hits = await searcher.search(query, { limit: 10 })
    ensure(hits.length >= (this.#counts.get(text) ?? 0), `${hits.length} answers to ${text}, fewer than before`)
    this.#counts.set(text, hits.length)
    for (let i = 0; i < Math.min(3, hits.loaded); i++) {
      const found = await hits.doc(i)
      ensure(found.get('id') !== undefined && found.get('text') !== undefined, `an empty answer to ${text}`)
    }
    return hits
  }
}
