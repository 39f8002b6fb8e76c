/** A response as the spider sees it: decoded from its content encoding, bounded, never a followed redirect. */
export interface FetchResult {
  /** the address asked for */
  readonly url: string
  readonly status: number
  /** lower-case names; repeated headers joined by `, `, X-Robots-Tag by line ends; without Set-Cookie, which the fetcher keeps to itself */
  readonly headers: ReadonlyMap<string, string>
  /** body bytes after content decoding, at most the limit */
  readonly body: Buffer
  /** MIME essence, lower case, empty where there is none */
  readonly contentType: string
  /** the charset parameter of the Content-Type as given */
  readonly charsetLabel: string | undefined
  /** absolute, canonical target of a 3xx; undefined where there is none or it is malformed */
  readonly location: string | undefined
  /** true where the body went on beyond the limit: `body` is its beginning */
  readonly truncated: boolean
  /** from the call to the last byte, milliseconds */
  readonly elapsedMs: number
  /** wall clock at the call, milliseconds since 1970 */
  readonly fetchedAt: number
  /** body bytes received, before content decoding */
  readonly wireBytes: number
  /** to be called where the fetch was given a budget, when the body is needed no more */
  release(): void
}
