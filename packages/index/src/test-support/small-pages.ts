/** Documents of two fields, and which of them an index has. */
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import type { IndexReader } from '../reading/index-reader.js'

/** A document with a keyword `id` and a text `body`. */
export function page(id: string, body: string): Document {
  return new Document().add(Field.keyword('id', id)).add(Field.text('body', body))
}

/** The ids of the live documents, in the order of the index. */
export async function ids(reader: IndexReader): Promise<string[]> {
  const found: string[] = []
  for (let s = 0; s < reader.segments.length; s++) {
    const { liveDocs, maxDoc } = reader.segments[s]
    for (let doc = 0; doc < maxDoc; doc++) {
      if (liveDocs === null || liveDocs.get(doc))
        found.push((await reader.document(reader.docBases[s] + doc)).get('id')!)
    }
  }
  return found
}
