/** What reading a document gives, and how it can fail. */

import type { PageSection } from '@spindle/core'

/** Links that are taken of a document. */
export const MAX_DOCUMENT_LINKS = 5000

/** The kinds of documents that are read, by how they are read. */
export type DocumentFormat = 'pdf' | 'package' | 'encrypted' | 'markdown' | 'feed'

/** What the index calls a document. */
export type DocumentKind = 'pdf' | 'office' | 'feed' | 'text'

/** A link as it stands in a document. */
export interface DocumentLink {
  /** as written: may be relative */
  readonly url: string
  readonly text: string
}

/** A document as text. */
export interface ExtractedDocument {
  readonly kind: DocumentKind
  readonly title: string
  /** blocks on lines of their own, other white space collapsed */
  readonly text: string
  /** parts of the text in order: pages, slides, sheets, chapters, headings */
  readonly sections: readonly PageSection[]
  readonly description: string
  /** BCP 47 tag as the document tells it, or empty */
  readonly lang: string
  readonly author: string
  readonly keywords: readonly string[]
  /** ISO 8601 date or date and time */
  readonly published: string | undefined
  readonly links: readonly DocumentLink[]
  /** true where there is more text than was taken */
  readonly truncated: boolean
}

/** What an extractor is given. */
export interface DocumentInput {
  readonly bytes: Uint8Array
  /** absolute address, for the links of formats that have relative ones */
  readonly url: string
  /** charset of the Content-Type header */
  readonly charsetLabel: string | undefined
  /** when to stop with what there is, on the clock of `performance.now()` */
  readonly deadline: number
}

/** Why a document has no text: a disposition of the address. */
export type DocumentFault =
  | 'document-broken'
  | 'document-too-large'
  | 'document-timeout'
  | 'document-encrypted'
  | 'document-failed'

/** A document that cannot be read. Says nothing about the next one. */
export class DocumentError extends Error {
  readonly fault: DocumentFault

  constructor(fault: DocumentFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DocumentError'
    this.fault = fault
  }
}

/** The rest of a document whose format tells only a part. */
export const NOTHING_TOLD: Omit<ExtractedDocument, 'kind' | 'text'> = {
  title: '',
  sections: [],
  description: '',
  lang: '',
  author: '',
  keywords: [],
  published: undefined,
  links: [],
  truncated: false,
}
