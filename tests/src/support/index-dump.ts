/** All that the live documents of an index have, as lines that are equal where two indexes find and score alike. */
import { PageField } from '@spindle/core'
import { IndexReader } from '@spindle/index'

/**
 * A line a document and field, with the hash-like sum of its terms, frequencies and length, by address.
 * @param path of the index
 */
export async function dumpIndex(path: string): Promise<Map<string, string>> {
  const reader = await IndexReader.open(path)
  const lines = new Map<string, string[]>()
  const docs = new Int32Array(128)
  const freqs = new Int32Array(128)
  try {
    for (const segment of reader.segments) {
      const urls: string[] = []
      for (let doc = 0; doc < segment.maxDoc; doc++) {
        const stored = await segment.document(doc)
        urls.push(stored.get(PageField.url) ?? '')
        if (segment.liveDocs?.get(doc) === false) continue
        lines.set(
          urls[doc]!,
          stored.fields.map(({ name, value }) => `${name}=${value}`),
        )
      }
      const note = (doc: number, line: string): void => {
        if (segment.liveDocs?.get(doc) !== false) lines.get(urls[doc]!)!.push(line)
      }
      for (const { name } of segment.data.fieldInfos.values()) {
        const cursor = segment.data.terms.terms(name)
        while (cursor?.next() === true) {
          const term = Buffer.from(cursor.bytes.subarray(0, cursor.length)).toString()
          const postings = (await segment.loadPostings(name, term, 'freqs'))!
          for (let b = 0; b < postings.blockCount; b++) {
            const length = postings.decodeDocs(b, docs)
            postings.decodeFreqs(b, freqs)
            for (let i = 0; i < length; i++) note(docs[i]!, `${name}:${term} ${freqs[i]}`)
          }
        }
        const norms = segment.norms(name)
        for (let doc = 0; norms !== null && doc < segment.maxDoc; doc++) note(doc, `${name} ${norms[doc]}`)
      }
      for (const { name } of reader.fields) {
        const values = await segment.docValues(name)
        for (let doc = 0; values?.kind === 'number' && doc < segment.maxDoc; doc++)
          if (values.has(doc)) note(doc, `${name} = ${values.numbers(doc)}`)
      }
    }
  } finally {
    await reader.close()
  }
  return new Map([...lines].map(([url, of]) => [url, of.sort().join('\n')]))
}

/** Addresses of the documents that differ in two indexes. */
export function differences(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((url) => a.get(url) !== b.get(url))
}
