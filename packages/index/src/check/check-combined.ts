/**
 * A combined field against its sources: every word of them, and no other, with weight times frequency added up, in the
 * same documents; a length that is neither longer than its occurrences nor shorter than the lengths of the sources say.
 */
import { Postings } from '../codec/postings.js'
import { MAX_FREQ } from '../codec/postings-writer.js'
import { byte4ToInt, intToByte4 } from '../codec/small-float.js'
import type { TermCursor } from '../codec/term-dictionary.js'
import { compareBytes } from '../codec/terms-index.js'
import { type FieldInfo, layerFieldName } from '../document/field-info.js'
import { ReadAhead } from '../reading/read-ahead.js'
import type { SegmentData } from '../reading/segment-data.js'
import { indexCorrupt } from '../store/index-corrupt.js'

const MAX_LENGTH = 0x7fffffff

const docs = new Int32Array(128)
const freqs = new Int32Array(128)

interface Source {
  readonly info: FieldInfo
  readonly weight: number
  cursor: TermCursor | undefined
  readonly postings: ReadAhead
}

/** Compares the lists and lengths of a combined field with those of its sources. Memory: a window of 1 MB for each of them. */
export async function checkCombined(data: SegmentData, info: FieldInfo): Promise<void> {
  const sources = sourcesOf(data, info)
  await checkLists(data, info, sources)
  checkLengths(data, info, sources)
}

/** The sources that the segment has, in the layer of the combined field. */
function sourcesOf(data: SegmentData, info: FieldInfo): Source[] {
  const hash = info.name.indexOf('#')
  const layer = hash < 0 ? '' : info.name.slice(hash + 1)
  const sources: Source[] = []
  for (const { name, weight } of info.sources ?? []) {
    const source = data.fieldInfo(layerFieldName(name, layer))
    if (source === undefined || source.options === 'none') continue
    const cursor = data.terms.terms(source.name)
    const first = cursor?.next() === true ? cursor : undefined
    sources.push({ info: source, weight, cursor: first, postings: new ReadAhead(data.postings) })
  }
  return sources
}

async function checkLists(data: SegmentData, info: FieldInfo, sources: readonly Source[]): Promise<void> {
  const { maxDoc } = data.info
  // A source without frequencies tells how often a word counts at least.
  const isExact = info.options === 'docs' || sources.every((source) => source.info.options !== 'docs')
  const expected = new Float64Array(maxDoc)
  const cursor = data.terms.terms(info.name)
  const postings = new ReadAhead(data.postings)
  const wrong = (wanted: string, found: string | number): never => {
    throw indexCorrupt(data.terms.file, 0, `${wanted} in the combined field ${JSON.stringify(info.name)}`, found)
  }
  const text = ({ bytes, length }: TermCursor) => JSON.stringify(Buffer.from(bytes.subarray(0, length)).toString())
  while (cursor?.next() === true) {
    let documents = 0
    for (const source of sources) {
      const own = source.cursor
      if (own === undefined) continue
      const order = compareBytes(own.bytes, own.length, cursor.bytes, cursor.length)
      if (order < 0) wrong(`the word ${text(own)} of ${source.info.name}`, text(cursor))
      if (order > 0) continue
      await forEachPosting(data, source.postings, source.info, own, (doc, freq) => {
        if (expected[doc] === 0) documents++
        expected[doc]! += source.weight * freq
      })
      if (!own.next()) source.cursor = undefined
    }
    if (documents !== cursor.entry.docFreq) wrong(`${documents} documents with ${text(cursor)}`, cursor.entry.docFreq)
    await forEachPosting(data, postings, info, cursor, (doc, freq) => {
      const wanted = info.options === 'docs' ? Math.min(expected[doc]!, 1) : Math.min(expected[doc]!, MAX_FREQ)
      expected[doc] = 0
      const isRight = wanted > 0 && (isExact ? freq === wanted : freq >= wanted)
      if (!isRight) wrong(`the frequency ${wanted} of ${text(cursor)} in document ${doc}`, freq)
    })
  }
  for (const { cursor: rest, info: source } of sources) {
    if (rest !== undefined) wrong(`the word ${text(rest)} of ${source.name}`, 'the end')
  }
}

function checkLengths(data: SegmentData, info: FieldInfo, sources: readonly Source[]): void {
  const norms = data.norms.get(info.name)
  if (norms === undefined) return
  const lists = sources.map((source) => ({ weight: source.weight, norms: data.norms.get(source.info.name) }))
  for (let doc = 0; doc < norms.length; doc++) {
    let least = 0
    for (const list of lists) if (list.norms !== undefined) least += list.weight * byte4ToInt(list.norms[doc]!)
    if (norms[doc]! >= intToByte4(Math.min(least, MAX_LENGTH))) continue
    const found = `${byte4ToInt(norms[doc]!)} for document ${doc} of ${JSON.stringify(info.name)}`
    throw indexCorrupt(data.terms.file, 0, `a length of at least ${least}, as of its sources`, found)
  }
}

async function forEachPosting(
  data: SegmentData,
  postings: ReadAhead,
  info: FieldInfo,
  { entry }: TermCursor,
  visit: (doc: number, freq: number) => void,
): Promise<void> {
  const { postingsStart, postingsLength } = entry
  const context = { info, maxDoc: data.info.maxDoc, norms: null }
  let range = postingsLength === 0 ? null : postings.get(postingsStart, postingsLength)
  if (range === null && postingsLength > 0) range = await postings.load(postingsStart, postingsLength)
  const list = new Postings(context, entry, range, null, false)
  for (let b = 0; b < list.blockCount; b++) {
    const length = list.decodeDocs(b, docs)
    list.decodeFreqs(b, freqs)
    for (let i = 0; i < length; i++) visit(docs[i]!, freqs[i]!)
  }
}
