/** The thread in which documents are read, one after the other; see `document-reader.ts`. */

import { parentPort } from 'node:worker_threads'
import { extractDocument } from './extract-document.js'
import { DocumentError, type DocumentFault, type DocumentFormat, type ExtractedDocument } from './extracted-document.js'

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
    return { document: await extractDocument(format, input) }
  } catch (error) {
    if (error instanceof DocumentError) return { fault: error.fault, message: error.message }
    // An extractor that stumbles over what it did not expect: the document is not as it should be.
    return { fault: 'document-broken', message: error instanceof Error ? error.message : String(error) }
  }
}
