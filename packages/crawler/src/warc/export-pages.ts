/** The pages of a data folder in formats that other programs read. */
import type { LivePages } from '../pages/live-pages.js'
import type { StoredPage } from '../pages/stored-page.js'
import { WarcWriter } from './warc-writer.js'

/** What an export tells and asks. */
export interface ExportOptions {
  /** Told how many pages were given out. */
  readonly onPage?: () => void
  readonly signal?: AbortSignal | undefined
}

/** Settings of {@link exportWarc}. */
export interface WarcExportOptions extends ExportOptions {
  /** Name of the file, as it will be. */
  readonly filename: string
  /** A gzip member a record. */
  readonly compress: boolean
  /** Name and version of the program. */
  readonly software: string
}

/** A WARC 1.1 file with every page. */
export async function* exportWarc(pages: LivePages, options: WarcExportOptions): AsyncGenerator<Buffer, void, void> {
  const { filename, compress, software, onPage, signal } = options
  const writer = new WarcWriter(compress)
  yield writer.info(filename, software, 'pages as they were stored: bodies decoded, without requests', Date.now())
  for await (const offset of pages.offsets()) {
    if (signal?.aborted === true) return
    const page = await pages.reader.read(offset)
    yield writer.page(page, await pages.reader.readBody(offset))
    onPage?.()
  }
}

/** One JSON object a line with what is known of each page; `spindle index` and `spindle import` read it back. */
export async function* exportRecords(
  pages: LivePages,
  { onPage, signal }: ExportOptions,
): AsyncGenerator<string, void, void> {
  for await (const offset of pages.offsets()) {
    if (signal?.aborted === true) return
    yield `${JSON.stringify(toRecord(await pages.reader.read(offset)))}\n`
    onPage?.()
  }
}

function toRecord({ url, fetchedAt, contentType, parsed }: StoredPage) {
  const { kind, title, text, description, lang, published, author, keywords } = parsed
  return {
    url,
    title,
    text,
    ...(description === '' ? {} : { description }),
    ...(lang === '' ? {} : { lang }),
    ...(published === undefined ? {} : { date: published }),
    ...(author === undefined ? {} : { author }),
    ...(keywords === undefined || keywords.length === 0 ? {} : { keywords }),
    type: kind,
    contentType,
    fetchedAt: new Date(fetchedAt).toISOString(),
  }
}
