/** The errors of the HTTP client, the resolver, the sockets and TLS, told apart by code and put into the reasons of a fetch. */

import { systemCode } from '@spindle/core'
import { BLOCKED_ADDRESS } from './address-guard.js'
import { HANDSHAKE_TIMEOUT } from './connector.js'
import { DNS_TIMEOUT } from './dns-cache.js'
import { FetchError, type FetchErrorReason } from './fetch-error.js'
import { PROXY_REFUSED } from './proxy.js'

const BY_CODE = new Map<string, readonly [FetchErrorReason, boolean]>([
  [BLOCKED_ADDRESS, ['blocked-address', false]],
  ['UND_ERR_CONNECT_TIMEOUT', ['timeout', true]],
  ['UND_ERR_HEADERS_TIMEOUT', ['timeout', true]],
  ['UND_ERR_BODY_TIMEOUT', ['timeout', true]],
  ['ETIMEDOUT', ['timeout', true]],
  ['UND_ERR_HEADERS_OVERFLOW', ['headers-too-large', false]],
  ['UND_ERR_INVALID_ARG', ['protocol-error', false]],
  ['UND_ERR_DESTROYED', ['aborted', false]],
  ['UND_ERR_CLOSED', ['aborted', false]],
  ['UND_ERR_ABORTED', ['aborted', false]],
  ['UND_ERR_ABORT', ['aborted', false]],
  ['ENOTFOUND', ['dns-error', false]],
  ['ENODATA', ['dns-error', false]],
  ['EAI_AGAIN', ['dns-error', true]],
  ['EAI_FAIL', ['dns-error', true]],
  ['ECONNREFUSED', ['connect-error', true]],
  ['EHOSTUNREACH', ['connect-error', true]],
  ['ENETUNREACH', ['connect-error', true]],
  ['EADDRNOTAVAIL', ['connect-error', true]],
  ['EACCES', ['connect-error', false]],
  ['EPERM', ['connect-error', false]],
  [DNS_TIMEOUT, ['dns-error', true]],
  [PROXY_REFUSED, ['proxy-error', true]],
  [HANDSHAKE_TIMEOUT, ['tls-error', true]],
  ['EPROTO', ['tls-error', false]],
  ['HOSTNAME_MISMATCH', ['tls-error', false]],
  ['INVALID_CA', ['tls-error', false]],
  ['INVALID_PURPOSE', ['tls-error', false]],
  ['PATH_LENGTH_EXCEEDED', ['tls-error', false]],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', ['tls-error', false]],
  ['SELF_SIGNED_CERT_IN_CHAIN', ['tls-error', false]],
])

/**
 * Wraps any error of the transport.
 * @param started true where a part of the response had come: a broken connection is then a cut response
 */
export function toFetchError(error: unknown, url: string, started: boolean): FetchError {
  if (error instanceof FetchError) return error
  const cause = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error
  const code = systemCode(cause) ?? ''
  const detail = detailOf(cause, code)
  const options = { cause: error }
  const known = BY_CODE.get(code)
  if (known !== undefined) return new FetchError(known[0], url, detail, known[1], options)
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE' || code === 'HPE_INVALID_EOF_STATE') {
    if (detail.includes('bad upgrade')) return new FetchError('protocol-error', url, detail, false, options)
    return new FetchError(started ? 'truncated' : 'network-error', url, detail, true, options)
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    // before the headers are through it means two lengths that contradict each other
    if (started) return new FetchError('truncated', url, detail, true, options)
    return new FetchError('protocol-error', url, detail, false, options)
  }
  // the parser's own errors mostly come without a code
  if (code.startsWith('HPE_') || (cause instanceof Error && cause.name === 'HTTPParserError')) {
    return new FetchError('protocol-error', url, detail, false, options)
  }
  if (
    code.startsWith('ERR_TLS') ||
    code.startsWith('ERR_SSL') ||
    code.startsWith('CERT_') ||
    code.startsWith('UNABLE_TO_')
  ) {
    return new FetchError('tls-error', url, detail, false, options)
  }
  return new FetchError('network-error', url, detail, true, options)
}

/** What happened, in words for people where those of the system are none. */
function detailOf(cause: unknown, code: string): string {
  if (code === 'EPROTO') return tlsDetail(cause)
  if (code === 'ENOTFOUND') {
    const name = String((cause as { readonly hostname?: unknown }).hostname ?? 'of the host')
    return `the name ${name} is not known, ENOTFOUND: check its spelling`
  }
  return cause instanceof Error ? cause.message || code : String(cause)
}

/** OpenSSL's words with their file names and numbers are for nobody. */
function tlsDetail(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : ''
  if (/wrong version number|unknown protocol|http request/i.test(text)) return 'it does not speak TLS: try http://'
  return `the TLS handshake failed (${/:SSL routines:[^:]*:([^:]+):/.exec(text)?.[1] ?? 'EPROTO'})`
}
