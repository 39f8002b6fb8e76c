import fc from 'fast-check'
import t from 'tap'
import { ByteReader } from './byte-reader.js'
import { ByteWriter } from './byte-writer.js'
import { crc32 } from './crc32.js'

t.test('what is written is read back', (t) => {
  const value = fc.oneof(
    fc.record({ kind: fc.constant('varint' as const), value: fc.maxSafeNat() }),
    fc.record({ kind: fc.constant('int32' as const), value: fc.integer() }),
    fc.record({ kind: fc.constant('float64' as const), value: fc.double({ noNaN: true }) }),
    fc.record({ kind: fc.constant('byte' as const), value: fc.nat(255) }),
    fc.record({ kind: fc.constant('string' as const), value: fc.string({ unit: 'grapheme' }) }),
  )
  fc.assert(
    fc.property(fc.array(value), (values) => {
      const writer = new ByteWriter(1)
      for (const v of values) {
        if (v.kind === 'varint') writer.writeVarint(v.value)
        else if (v.kind === 'int32') writer.writeInt32(v.value)
        else if (v.kind === 'float64') writer.writeFloat64(v.value)
        else if (v.kind === 'byte') writer.writeByte(v.value)
        else writer.writeString(v.value)
      }
      const reader = new ByteReader(writer.view())
      for (const v of values) {
        const found =
          v.kind === 'varint'
            ? reader.readVarint()
            : v.kind === 'int32'
              ? reader.readInt32()
              : v.kind === 'float64'
                ? reader.readFloat64()
                : v.kind === 'byte'
                  ? reader.readByte()
                  : reader.readString()
        if (!Object.is(found, v.value)) return false
      }
      return reader.remaining === 0
    }),
  )
  for (const edge of [0, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 35 + 5, Number.MAX_SAFE_INTEGER]) {
    const writer = new ByteWriter()
    writer.writeVarint(edge)
    t.equal(new ByteReader(writer.view()).readVarint(), edge, `varint ${edge}`)
  }
  t.end()
})

t.test('damaged bytes give a RangeError, never a loop or a large allocation', (t) => {
  t.throws(() => new ByteReader(Buffer.alloc(20, 0xff)).readVarint(), RangeError)
  t.throws(() => new ByteReader(Buffer.from([0xff])).readVarint(), RangeError)
  t.throws(() => new ByteReader(Buffer.from([0xff, 0xff, 0xff, 0x7f, 1])).readString(), RangeError)
  t.throws(() => new ByteReader(Buffer.alloc(3)).readInt32(), RangeError)
  t.throws(() => new ByteReader(Buffer.alloc(3)).readBytes(-1), RangeError)
  t.throws(() => new ByteReader(Buffer.alloc(8), 0, 4).readFloat64(), RangeError)
  t.throws(() => {
    new ByteReader(Buffer.alloc(3)).position = 4
  }, RangeError)
  t.end()
})

t.test('the checksum is CRC-32 and can be taken in parts', (t) => {
  const bytes = Buffer.from('123456789')
  t.equal(crc32(bytes), 0xcbf43926, 'the check value of the CRC catalogue')
  t.equal(crc32(bytes.subarray(4), crc32(bytes.subarray(0, 4))), 0xcbf43926)
  t.equal(crc32(new Uint8Array(new ArrayBuffer(0)), 5), 5, 'no bytes change nothing')
  t.equal(crc32(new Uint8Array(new Int32Array(0).buffer, 0, 0), 5), 5, 'wherever they are')
  t.end()
})
