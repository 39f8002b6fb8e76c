import t from 'tap'
import { counted } from './counted.js'

t.test('one is not several, none is', async (t) => {
  t.equal(counted(1, 'page'), '1 page')
  t.equal(counted(0, 'page'), '0 pages')
  t.equal(counted(2, 'address', 'addresses'), '2 addresses')
  t.equal(counted(1, 'address', 'addresses'), '1 address')
})
