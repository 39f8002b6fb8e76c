/** The one error of the fetch layer: a stable reason for the crawl report, and whether trying again later may help. */

import { SpindleError } from '@spindle/core'

/** Why a fetch failed. */
export type FetchErrorReason =
  /** the host name has no address, or the resolver does not answer */
  | 'dns-error'
  /** the host is this machine or in a private network, or the file outside of the start folders, and nobody named it */
  | 'blocked-address'
  /** no connection to the host */
  | 'connect-error'
  /** connecting, waiting for headers, waiting for data, or the whole fetch took too long, or the data came too slowly */
  | 'timeout'
  /** the connection broke before the response was complete */
  | 'network-error'
  /** what came is not HTTP as it should be */
  | 'protocol-error'
  /** the proxy refused the request, or cannot be reached */
  | 'proxy-error'
  /** the login that the site's settings ask for did not work */
  | 'login-failed'
  /** the certificate or the handshake was refused */
  | 'tls-error'
  /** an unknown, broken or too deeply nested content encoding */
  | 'bad-encoding'
  /** the response headers are over the limit */
  | 'headers-too-large'
  /** a compressed body that blows up far beyond any honest page */
  | 'too-large'
  /** the body ended before the length or the end mark that it promised */
  | 'truncated'
  /** not http or https (or a file that may be read), or not an address */
  | 'unsupported-scheme'
  /** ended by the caller */
  | 'aborted'

/** A fetch that gave no response to work with. */
export class FetchError extends SpindleError {
  readonly reason: FetchErrorReason
  /** True where the same request may work later (network trouble), false where it will fail the same way. */
  readonly retryable: boolean
  readonly url: string
  /** What the network, the server or the limit said. */
  readonly detail: string

  constructor(reason: FetchErrorReason, url: string, detail: string, retryable: boolean, options?: ErrorOptions) {
    super('FETCH_FAILED', `${url} could not be fetched (${reason}): ${detail}`, options)
    this.name = 'FetchError'
    this.reason = reason
    this.retryable = retryable
    this.url = url
    this.detail = detail
  }
}
