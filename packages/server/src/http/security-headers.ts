/** Headers that tell the browser what our pages never do: run scripts but the one of the search box, load foreign things, be framed. */
import type { FastifyHelmetOptions } from '@fastify/helmet'

const POLICY: Readonly<Record<string, readonly string[]>> = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'connect-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'"],
  'form-action': ["'self'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
}

/** For @fastify/helmet. */
export const HELMET_OPTIONS: FastifyHelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: Object.fromEntries(Object.entries(POLICY).map(([name, sources]) => [name, [...sources]])),
  },
  // the server speaks plain HTTP; whoever puts TLS before it decides on this
  strictTransportSecurity: false,
  frameguard: { action: 'deny' },
}

/** The most needed of them, for answers that are sent before any hook could set them. */
export const EARLY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': Object.entries(POLICY)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join(';'),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
