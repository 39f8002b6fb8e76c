/** The thread in which documents are read, one after the other; see `document-reader.ts`. */

import { parentPort } from 'node:worker_threads'
import { cut } from '../parse/text-builder.js'
import { extractDocument } from './extract-document.js'
import {
  DocumentError,
  type DocumentFault,
  type DocumentFormat,
  type ExtractedDocument,
  MAX_DOCUMENT_LINKS,
} from './extracted-document.js'

/** What the thread is asked. */
export interface DocumentRequest {
  readonly format: DocumentFormat
  readonly bytes: Uint8Array
  readonly url: string
  readonly charsetLabel: string | undefined
  /** milliseconds from which on what there is must do */
  readonly enoughAfter: number
}

/** What it answers. */
export type DocumentAnswer =
  | { readonly document: ExtractedDocument | null }
  | { readonly fault: DocumentFault; readonly message: string }

parentPort?.on('message', async ({ format, enoughAfter, ...input }: DocumentRequest) => {
  const answer = await answerTo(format, { ...input, deadline: performance.now() + enoughAfter })
  parentPort?.postMessage(answer)
})

async function answerTo(format: DocumentFormat, input: Parameters<typeof extractDocument>[1]): Promise<DocumentAnswer> {
  try {
    const document = await extractDocument(format, input)
    return { document: document === null ? null : bounded(document) }
  } catch (error) {
    if (error instanceof DocumentError) return { fault: error.fault, message: error.message }
    // An extractor that stumbles over what it did not expect: the document is not as it should be.
    return { fault: 'document-broken', message: error instanceof Error ? error.message : String(error) }
  }
}

const MAX_URL = 4096
const MAX_WORDS = 50
const MAX_LINE = 4000

/** The text is bounded where it is put together; a document must not tell without end in other ways, either. */
function bounded(document: ExtractedDocument): ExtractedDocument {
  const { title, description, lang, author, keywords, links } = document
  return {
    ...document,
    title: cut(title, MAX_LINE),
    description: cut(description, MAX_LINE),
    lang: cut(lang, MAX_LINE),
    author: cut(author, MAX_LINE),
    keywords: keywords.slice(0, MAX_WORDS).map((word) => cut(word, MAX_LINE)),
    links: links
      .filter(({ url }) => url.length <= MAX_URL)
      .slice(0, MAX_DOCUMENT_LINKS + 1)
      .map(({ url, text }) => ({ url, text: cut(text, MAX_LINE) })),
  }
}
