import t from 'tap'
import { toFetchError } from './to-fetch-error.js'

t.test('a mistyped host is told in words', async (t) => {
  const cause = Object.assign(new Error('getaddrinfo ENOTFOUND exmaple.org'), {
    code: 'ENOTFOUND',
    hostname: 'exmaple.org',
  })
  const error = toFetchError(cause, 'http://exmaple.org/', false)
  t.equal(error.reason, 'dns-error')
  t.equal(error.detail, 'the name exmaple.org is not known, ENOTFOUND: check its spelling')
  const nameless = toFetchError(Object.assign(new Error('x'), { code: 'ENOTFOUND' }), 'http://exmaple.org/', false)
  t.match(nameless.detail, /^the name of the host is not known/)
})
