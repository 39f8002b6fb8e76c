/**
 * The contents of an index as plain text lines, once computed from documents with no index code in between and once
 * read through an IndexReader: the two must be equal.
 *
 *   doc <id> <stored fields>     post <field> <term> <id> <freq> <positions>     len <field> <id> <norm byte>
 */
import assert from 'node:assert/strict'
import type { Analyzer } from '../analysis/analyzer.js'
import { intToByte4 } from '../codec/small-float.js'
import type { Document } from '../document/document.js'
import { layerFieldName } from '../document/field-info.js'
import type { IndexReader } from '../reading/index-reader.js'

/** Field whose keyword identifies a document in these lines. */
export const ID = 'id'

interface Occurrences {
  freq: number
  readonly positions: number[]
}

/** Lines that an index of exactly these documents should give. */
export function expectedContents(documents: Iterable<Document>, analyzer: Analyzer): string[] {
  const lines: string[] = []
  for (const document of documents) {
    const id = document.get(ID)!
    lines.push(
      docLine(
        id,
        document.fields.filter((field) => field.type.stored),
      ),
    )
    const terms = new Map<string, Occurrences>()
    const lengths = new Map<string, number>()
    const position = new Map<string, number>()
    for (const field of document.fields) {
      if (!field.type.indexed) continue
      if (!field.type.tokenized) {
        terms.set(`${field.name}\u0001${wellFormed(field.value)}`, { freq: 1, positions: [] })
        continue
      }
      for (const layer of analyzer.layers) {
        const name = layerFieldName(field.name, layer.name)
        if (lengths.has(name)) position.set(name, position.get(name)! + 100)
      }
      analyzer.analyze(field.value, {
        token(term, _start, _end, increment, number) {
          const layer = analyzer.layers[number]
          const name = layerFieldName(field.name, layer.name)
          const key = `${name}\u0001${wellFormed(term)}`
          const at = Math.max(0, (position.get(name) ?? -1) + increment)
          position.set(name, at)
          lengths.set(name, (lengths.get(name) ?? 0) + 1)
          const found = terms.get(key) ?? { freq: 0, positions: [] }
          if (layer.options !== 'docs' || found.freq === 0) found.freq++
          if (layer.options === 'positions') found.positions.push(at)
          terms.set(key, found)
        },
      })
    }
    for (const [key, { freq, positions }] of terms) lines.push(`post ${key} ${id} ${freq} ${positions.join(',')}`)
    for (const [name, length] of lengths) {
      if (hasNorms(analyzer, name)) lines.push(`len ${name} ${id} ${intToByte4(length)}`)
    }
  }
  return lines.sort()
}

/** Lines of the live documents of an index; checks on the way what must hold between its parts. */
export async function indexContents(reader: IndexReader): Promise<string[]> {
  const lines: string[] = []
  const docs = new Int32Array(128)
  const freqs = new Int32Array(128)
  const impacts = new Int32Array(4)
  for (let s = 0; s < reader.segments.length; s++) {
    const segment = reader.segments[s]
    const ids: string[] = []
    for (let doc = 0; doc < segment.maxDoc; doc++) {
      const document = await reader.document(reader.docBases[s] + doc)
      ids.push(document.get(ID)!)
      if (segment.liveDocs === null || segment.liveDocs.get(doc)) lines.push(docLine(ids[doc], document.fields))
    }
    assert.equal(segment.liveDocs?.count() ?? segment.maxDoc, segment.numDocs)
    for (const info of segment.data.fieldInfos.values()) {
      const norms = segment.norms(info.name)
      let sumTotalTermFreq = 0
      let sumDocFreq = 0
      const withField = new Set<number>()
      const cursor = segment.data.terms.terms(info.name)
      while (cursor?.next() === true) {
        const term = Buffer.from(cursor.bytes.subarray(0, cursor.length)).toString()
        const stats = segment.termStats(info.name, term)
        const postings = await segment.loadPostings(info.name, term, 'positions')
        assert.ok(stats !== null && postings !== null, `${info.name}:${term} is found`)
        assert.equal(postings.docFreq, stats.docFreq)
        assert.equal(postings.totalTermFreq, stats.totalTermFreq)
        let count = 0
        let total = 0
        for (let b = 0; b < postings.blockCount; b++) {
          const length = postings.decodeDocs(b, docs)
          assert.equal(postings.decodeFreqs(b, freqs), length)
          assert.equal(postings.lastDoc[b], docs[length - 1])
          const pairs = postings.impacts(b, impacts)
          let before = 0
          for (let i = 0; i < length; i++) {
            const doc = docs[i]
            withField.add(doc)
            const positions = new Int32Array(info.options === 'positions' ? freqs[i] : 0)
            if (positions.length > 0) postings.positions(b, before, freqs[i], positions, 0)
            before += freqs[i]
            const norm = norms === null ? 1 : norms[doc]
            let covered = false
            for (let p = 0; p < pairs; p++) if (freqs[i] <= impacts[2 * p] && norm >= impacts[2 * p + 1]) covered = true
            assert.ok(covered, `impacts cover ${info.name}:${term} of document ${doc}`)
            if (segment.liveDocs !== null && !segment.liveDocs.get(doc)) continue
            lines.push(`post ${info.name}\u0001${term} ${ids[doc]} ${freqs[i]} ${positions.join(',')}`)
          }
          count += length
          total += before
        }
        assert.equal(count, stats.docFreq)
        if (info.options !== 'docs') assert.equal(total, stats.totalTermFreq)
        sumDocFreq += stats.docFreq
        sumTotalTermFreq += stats.totalTermFreq
      }
      assert.deepEqual(
        [info.docCount, info.sumDocFreq, info.sumTotalTermFreq],
        [withField.size, sumDocFreq, sumTotalTermFreq],
        `sums of ${info.name}`,
      )
      for (let doc = 0; norms !== null && doc < segment.maxDoc; doc++) {
        if (norms[doc] === 0) continue
        if (segment.liveDocs === null || segment.liveDocs.get(doc))
          lines.push(`len ${info.name} ${ids[doc]} ${norms[doc]}`)
      }
    }
  }
  return lines.sort()
}

/** The first line that only one of the two has, or undefined where they are equal. */
export function firstDifference(found: readonly string[], expected: readonly string[]): string | undefined {
  for (let i = 0; i < Math.max(found.length, expected.length); i++) {
    if (found[i] !== expected[i]) return `found ${JSON.stringify(found[i])}, expected ${JSON.stringify(expected[i])}`
  }
  return undefined
}

function docLine(id: string, fields: readonly { name: string; value: string; type: { kind: string } }[]): string {
  return `doc ${id} ${JSON.stringify(fields.map(({ name, value, type }) => [name, type.kind, value]))}`
}

function hasNorms(analyzer: Analyzer, field: string): boolean {
  const hash = field.indexOf('#')
  const name = hash < 0 ? '' : field.slice(hash + 1)
  return analyzer.layers.find((layer) => layer.name === name)!.norms
}

/** As the index writes a term: lone surrogates become U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}
