/** Reads a stored page again from its body, as it would be read if it were fetched now. */
import { DocumentError } from '../documents/extracted-document.js'
import { type ReadOptions, readPage } from '../documents/read-page.js'
import { parseContentType } from '../fetch/content-type.js'
import type { ParseInput } from '../parse/parse-page.js'
import { encodePage, readBody, readHead, readSequence, toRecord } from './page-codec.js'

/** What a record of a file of records is stored as: it was never a page that could be read again. */
const RECORD = 'application/json'

/** How pages are read. */
export interface ReparseSettings extends Pick<ParseInput, 'robotsToken'> {
  /** What of the pages of an origin is read. */
  readonly selectorsOf?: (origin: string) => ParseInput['selectors']
}

/**
 * @param payload record of a page
 * @returns the record with what is read in the body now; as it is where nothing can be
 */
export async function reparse(
  payload: Buffer,
  offset: number,
  { robotsToken, selectorsOf, ...read }: ReparseSettings & ReadOptions,
): Promise<Buffer> {
  const head = readHead(payload, 'the page store', offset)
  if (head === undefined || head.contentType === RECORD) return payload
  const body = await readBody(payload, 'the page store', offset)
  const { url, contentType, headers } = head
  const { charset: charsetLabel } = parseContentType(headers['content-type'])
  const token = robotsToken === undefined ? {} : { robotsToken }
  try {
    const selectors = selectorsOf?.(new URL(url).origin)
    const input = { url, contentType, charsetLabel, body, xRobotsTag: headers['x-robots-tag'], selectors, ...token }
    const parsed = await readPage(input, read)
    if (parsed === null) return payload
    return toRecord(await encodePage({ ...head, body, parsed }), readSequence(payload, 'the page store', offset))
  } catch (error) {
    if (error instanceof DocumentError) return payload
    throw error
  }
}
