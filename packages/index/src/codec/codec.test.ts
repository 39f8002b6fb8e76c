/** Every component written and read again, at the lengths where its layout changes. */
import { readFileSync } from 'node:fs'
import { BitSet } from '@spindle/core'
import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import type { FieldInfo } from '../document/field-info.js'
import { fieldType } from '../document/field-type.js'
import { CheckedInput } from '../store/checked-input.js'
import { CheckedOutput } from '../store/checked-output.js'
import type { Component } from '../store/file-header.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { bitsNeeded, pack } from './bit-packing.js'
import { unpack } from './bit-unpacking.js'
import { type CommitPoint, latestGeneration, readCommitPoint, writeCommitPoint } from './commit-point.js'
import { readFieldInfos, writeFieldInfos } from './field-infos.js'
import { packImpacts, UNBOUNDED_FREQ, unpackImpacts } from './impacts.js'
import { readLiveDocs, writeLiveDocs } from './live-docs.js'
import { NormsReader, NormsWriter } from './norms.js'
import { type LoadedRange, Postings } from './postings.js'
import { PostingsWriter } from './postings-writer.js'
import { commitGeneration, isIndexFile } from './segment-files.js'
import { readSegmentInfo, type SegmentInfo, writeSegmentInfo } from './segment-info.js'
import { byte4ToInt, intToByte4 } from './small-float.js'
import { StoredFieldsReader } from './stored-fields-reader.js'
import { StoredFieldsWriter } from './stored-fields-writer.js'
import { TermDictionary } from './term-dictionary.js'
import { TermDictionaryWriter } from './term-dictionary-writer.js'
import { TermEntry } from './term-entry.js'
import { encodeUtf8 } from './utf8.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)
const id = Uint8Array.from({ length: 16 }, (_, i) => i * 11)

async function load(
  directory: MemoryDirectory,
  name: string,
  component: Component,
): Promise<LoadedRange & { end: number }> {
  const input = await CheckedInput.open(directory, name, component, id)
  const bytes = await input.readAll(true)
  return {
    file: name,
    bytes,
    words: new Int32Array(bytes.buffer, 0, (bytes.length + 3) >>> 2),
    start: 0,
    end: input.contentEnd,
  }
}

t.test('128 integers of every width', async (t) => {
  for (let bits = 0; bits <= 31; bits++) {
    const values = Int32Array.from({ length: 128 }, () => Math.floor(random.next() * 2 ** bits))
    if (bits > 0) values[random.below(128)] = 2 ** bits - 1
    t.equal(bitsNeeded(values, 128), bits)
    const words = new Int32Array(3 + 4 * bits + 1).fill(-1)
    pack(bits, values, words, 3)
    const out = new Int32Array(128).fill(-1)
    unpack(bits, words, 3, out)
    t.strictSame(out, values, `${bits} bits`)
    t.equal(words[3 + 4 * bits], -1, 'nothing is written behind the block')
  }
  t.throws(() => unpack(32, new Int32Array(128), 0, new Int32Array(128)), RangeError)
})

t.test('lengths in a byte: values of Lucene', async (t) => {
  // SmallFloat.intToByte4 of Lucene 9 for these lengths.
  const known = [
    [0, 0],
    [1, 1],
    [23, 23],
    [24, 24],
    [39, 39],
    [40, 40],
    [41, 40],
    [42, 41],
    [55, 47],
    [56, 48],
    [100, 57],
    [2 ** 31 - 1, 255],
  ]
  for (const [length, code] of known) t.equal(intToByte4(length), code, `length ${length}`)
  for (let code = 0; code < 256; code++) t.equal(intToByte4(byte4ToInt(code)), code)
  for (let i = 0; i < 2000; i++) {
    const length = random.below(1 << random.below(31))
    const decoded = byte4ToInt(intToByte4(length))
    if (decoded > length || decoded < length - length / 8) t.fail(`${length} becomes ${decoded}`)
  }
})

t.test('terms as UTF-8', async (t) => {
  for (const text of ['', 'abc', 'é', '中文', '𝄞', '\ud800', 'a\udc00b', '\ud834x\udd1e', '\0', '￿', '\u07ff\u0800']) {
    const out = new Uint8Array(64)
    const length = encodeUtf8(text, out, 5)
    t.equal(
      Buffer.from(out.subarray(5, 5 + length)).toString('hex'),
      Buffer.from(text).toString('hex'),
      JSON.stringify(text),
    )
  }
})

t.test('impacts cover every posting with two pairs', async (t) => {
  const out = new Int32Array(4)
  for (let round = 0; round < 300; round++) {
    const length = 1 + random.below(128)
    const freqs = Int32Array.from({ length }, () => 1 + random.below(random.pick([1, 5, 400])))
    const norms = Int32Array.from({ length }, () => 1 + random.below(random.pick([1, 30, 255])))
    const pairs = unpackImpacts(packImpacts(freqs, norms, length, 10), out)
    for (let i = 0; i < length; i++) {
      const covered = (p: number) => p < pairs && freqs[i] <= out[2 * p] && norms[i] >= out[2 * p + 1]
      if (!covered(0) && !covered(1)) t.fail(`(${freqs[i]}, ${norms[i]}) is not covered by ${out}`)
    }
    // No bound is looser than it has to be: the highest frequency and the smallest norm are those of a posting.
    t.equal(out[0], Math.max(...freqs) >= 255 ? UNBOUNDED_FREQ : Math.max(...freqs))
    t.equal(out[2 * pairs - 1], Math.min(...norms))
  }
})

const INFO: FieldInfo = {
  number: 0,
  name: 'f',
  options: 'positions',
  norms: true,
  type: fieldType('text'),
  docCount: 9,
  sumTotalTermFreq: 90,
  sumDocFreq: 50,
}

interface List {
  readonly docs: number[]
  readonly freqs: number[]
  readonly positions: number[][]
}

/** Where two long arrays differ; a deep comparison that fails would take minutes to print. */
function difference(found: readonly unknown[], expected: readonly unknown[]): string | undefined {
  for (let i = 0; i < Math.max(found.length, expected.length); i++) {
    if (String(found[i]) !== String(expected[i])) return `item ${i} is ${found[i]}, not ${expected[i]}`
  }
  return undefined
}

function randomList(length: number, maxDoc: number, maxFreq: number): List {
  const docs: number[] = []
  const freqs: number[] = []
  const positions: number[][] = []
  for (let doc = 0; doc < maxDoc && docs.length < length; doc++) {
    if (random.next() * (maxDoc - doc) >= length - docs.length) continue
    docs.push(doc)
    const freq = 1 + random.below(maxFreq)
    freqs.push(freq)
    let position = random.below(3)
    positions.push(
      Array.from({ length: freq }, () => (position += random.below(random.next() < 0.02 ? 1_000_000 : 20))),
    )
  }
  return { docs, freqs, positions }
}

for (const options of ['docs', 'freqs', 'positions'] as const) {
  t.test(`postings with ${options} at the borders of blocks`, async (t) => {
    const maxDoc = 60_000
    const info = { ...INFO, options, norms: options !== 'docs' }
    const lists = [1, 2, 127, 128, 129, 255, 256, 257, 1000, 20_000].map((n) => randomList(n, maxDoc, n === 2 ? 1 : 4))
    // One document with very many occurrences; all documents; the last document alone; a frequency past a byte.
    lists.push({ docs: [7], freqs: [128], positions: [Array.from({ length: 128 }, (_, i) => i)] })
    lists.push({
      docs: [7, 9],
      freqs: [129, 500],
      positions: [129, 500].map((n) => Array.from({ length: n }, (_, i) => i * 3)),
    })
    lists.push({
      docs: Array.from({ length: 1280 }, (_, i) => i),
      freqs: new Array(1280).fill(1),
      positions: new Array(1280).fill([0]),
    })
    lists.push({ docs: [maxDoc - 1], freqs: [1], positions: [[0x7fffff00]] })
    const norms = Uint8Array.from({ length: maxDoc }, () => 1 + random.below(60))
    const directory = new MemoryDirectory()
    const postingsFile = await CheckedOutput.create(directory, 'p', 'postings', id)
    const positionsFile = await CheckedOutput.create(directory, 'q', 'position', id)
    const termsFile = await CheckedOutput.create(directory, 't', 'terms', id)
    const writer = new PostingsWriter(postingsFile, positionsFile)
    const dictionary = new TermDictionaryWriter(termsFile)
    writer.startField(info)
    dictionary.startField(info)
    for (let l = 0; l < lists.length; l++) {
      const list = lists[l]
      writer.startTerm()
      for (let i = 0; i < list.docs.length; i++) {
        writer.addDoc(list.docs[i], options === 'docs' ? 1 : list.freqs[i], norms[list.docs[i]])
        if (options === 'positions') for (const position of list.positions[i]) writer.addPosition(position)
      }
      t.ok(dictionary.add(Buffer.from(`t${String(l).padStart(3, '0')}`), 0, 4, writer.finishTerm()))
    }
    dictionary.finishField()
    await dictionary.finish()
    await postingsFile.finish()
    await positionsFile.finish()

    const postings = await load(directory, 'p', 'postings')
    const positions = await load(directory, 'q', 'position')
    const terms = await load(directory, 't', 'terms')
    const limits = { maxDoc, postingsEnd: postings.end, positionsEnd: positions.end }
    const opened = TermDictionary.ofFile('t', terms.bytes, terms.end, new Map([[0, info]]), limits)
    const entry = new TermEntry()
    const docs = new Int32Array(128)
    const freqs = new Int32Array(128)
    for (let l = 0; l < lists.length; l++) {
      const list = lists[l]
      t.ok(opened.find('f', Buffer.from(`t${String(l).padStart(3, '0')}`), 4, entry))
      const context = { info, maxDoc, norms: info.norms ? norms : null }
      const found = new Postings(
        context,
        entry,
        entry.postingsLength > 0 ? postings : null,
        entry.positionsLength > 0 ? positions : null,
        options === 'positions',
      )
      t.equal(found.docFreq, list.docs.length)
      t.equal(found.blockCount, Math.ceil(list.docs.length / 128))
      const read: List = { docs: [], freqs: [], positions: [] }
      // Back to front: nothing may depend on the order.
      for (let b = found.blockCount - 1; b >= 0; b--) {
        const length = found.decodeFreqs(b, freqs)
        t.equal(found.decodeDocs(b, docs), length)
        t.equal(found.lastDoc[b], docs[length - 1])
        read.docs.unshift(...docs.subarray(0, length))
        read.freqs.unshift(...freqs.subarray(0, length))
        const blockPositions: number[][] = []
        let before = 0
        for (let i = 0; i < length; i++) {
          if (options === 'positions') {
            const out = new Int32Array(freqs[i] + 1)
            found.positions(b, before, freqs[i], out, 1)
            blockPositions.push([...out.subarray(1)])
          }
          before += freqs[i]
        }
        read.positions.unshift(...blockPositions)
      }
      const expectedFreqs = options === 'docs' ? list.docs.map(() => 1) : list.freqs
      t.equal(difference(read.docs, list.docs), undefined, `documents of list ${l}`)
      t.equal(difference(read.freqs, expectedFreqs), undefined, `frequencies of list ${l}`)
      t.equal(
        found.totalTermFreq,
        expectedFreqs.reduce((a, b) => a + b),
      )
      if (options === 'positions')
        t.equal(difference(read.positions, list.positions), undefined, `positions of list ${l}`)
    }
  })
}

t.test('terms: every look-up, near misses, the walk', async (t) => {
  const words = new Set([
    '',
    '\0',
    '\0\0',
    'constructor',
    '__proto__',
    'a',
    'aa',
    'aaa',
    'ab',
    '中',
    '中文',
    '中文字',
    '𝄞',
    'x'.repeat(3000),
  ])
  for (let i = 0; i < 3000; i++)
    words.add(Array.from({ length: 1 + random.below(8) }, () => random.pick(['a', 'b', 'é', '中', 'z'])).join(''))
  for (const count of [1, 31, 32, 33, 64, 65, words.size]) {
    const sorted = [...words]
      .slice(0, count)
      .map((word) => Buffer.from(word))
      .sort(Buffer.compare)
    const directory = new MemoryDirectory()
    const output = await CheckedOutput.create(directory, 't', 'terms', id)
    const writer = new TermDictionaryWriter(output)
    const info = { ...INFO, options: 'freqs' as const }
    const other = { ...info, number: 4, name: 'constructor' }
    for (const field of [info, other]) {
      writer.startField(field)
      let postingsStart = 100
      for (let i = 0; i < sorted.length; i++) {
        const entry = new TermEntry()
        entry.docFreq = 1 + (i % 5)
        entry.totalTermFreq = entry.docFreq + (i % 3)
        entry.singleDoc = entry.docFreq === 1 ? i % 50 : -1
        entry.postingsStart = postingsStart
        entry.postingsLength = entry.docFreq === 1 ? 0 : i % 7
        postingsStart += entry.postingsLength
        if (!writer.add(sorted[i], 0, sorted[i].length, entry)) t.fail(`term ${i} is refused`)
        if (writer.add(sorted[i], 0, sorted[i].length, entry)) t.fail(`term ${i} is taken twice`)
      }
      writer.finishField()
    }
    writer.startField({ ...info, number: 5, name: 'empty' })
    writer.finishField()
    await writer.finish()
    const { bytes, end } = await load(directory, 't', 'terms')
    const limits = { maxDoc: 50, postingsEnd: 1e6, positionsEnd: 0 }
    const infos = new Map([
      [0, info],
      [4, other],
    ])
    const terms = TermDictionary.ofFile('t', bytes, end, infos, limits)
    t.equal(terms.termCount('f'), sorted.length)
    t.equal(terms.termCount('empty'), 0)
    const entry = new TermEntry()
    for (const field of ['f', 'constructor']) {
      const cursor = terms.terms(field)!
      for (let i = 0; i < sorted.length; i++) {
        if (!cursor.next()) t.fail('the walk ends early')
        if (!sorted[i].equals(cursor.bytes.subarray(0, cursor.length))) t.fail(`the walk finds another term at ${i}`)
        if (!terms.find(field, sorted[i], sorted[i].length, entry)) t.fail(`${sorted[i]} is not found`)
        if (JSON.stringify(entry) !== JSON.stringify(cursor.entry)) t.fail(`the walk gives another entry at ${i}`)
        const found = [entry.docFreq, entry.totalTermFreq, entry.singleDoc]
        const docFreq = 1 + (i % 5)
        const expected = [docFreq, docFreq + (i % 3), docFreq === 1 ? i % 50 : -1]
        if (String(found) !== String(expected)) t.fail(`entry ${i} is ${found}, not ${expected}`)
      }
      t.notOk(cursor.next(), 'the walk ends')
      const known = new Set(sorted.map((term) => term.toString('latin1')))
      for (const term of sorted) {
        for (const miss of [
          Buffer.concat([term, Buffer.from([0])]),
          term.subarray(0, -1),
          Buffer.concat([term, Buffer.from('~')]),
        ]) {
          if (known.has(miss.toString('latin1'))) continue
          if (terms.find(field, miss, miss.length, entry)) t.fail(`${miss} is found`)
        }
      }
    }
    t.notOk(terms.find('none', Buffer.from('a'), 1, entry))
  }
})

t.test('norms, live documents, fields, segment description', async (t) => {
  const directory = new MemoryDirectory()
  const fields: FieldInfo[] = [
    INFO,
    { ...INFO, number: 3, name: '__proto__', options: 'docs', norms: false, type: fieldType('keyword'), docCount: 0 },
    { ...INFO, number: 7, name: '标题', options: 'freqs', docCount: 5, sumTotalTermFreq: 2 ** 40 },
    { ...INFO, number: 8, name: 'n', options: 'none', norms: false, type: fieldType('float', { stored: false }) },
  ]
  await writeFieldInfos(directory, '_1', id, fields)
  const infos = await readFieldInfos(directory, '_1', id, 10)
  t.strictSame([...infos.values()], fields)

  const output = await CheckedOutput.create(directory, '_1.norms', 'norms', id)
  const writer = new NormsWriter(output)
  const lengths = [Uint8Array.of(1, 2, 3, 0, 255), Uint8Array.of(9, 0, 0, 0, 8)]
  writer.start([7, 0])
  for (const norms of lengths) {
    writer.add(norms.subarray(0, 2))
    writer.add(norms.subarray(2))
    writer.finishField()
  }
  await writer.finish()
  const norms = await NormsReader.open(await CheckedInput.open(directory, '_1.norms', 'norms', id), 5, infos)
  t.strictSame([...norms.fields], ['标题', 'f'])
  t.notOk(norms.has('n'))
  for (const [i, field] of ['标题', 'f'].entries()) t.strictSame([...(await norms.read(field))], [...lengths[i]])
  t.equal(norms.start('f'), 40)

  for (const length of [1, 31, 32, 33, 1000]) {
    const live = BitSet.full(length)
    for (let i = 0; i < length; i += 3) live.clear(i)
    await writeLiveDocs(directory, '_1', id, length, live)
    const read = await readLiveDocs(directory, '_1', id, length, length, length - live.count())
    t.strictSame([...read.words], [...live.words])
    await t.rejects(readLiveDocs(directory, '_1', id, length, length, 0), { code: 'INDEX_CORRUPT' })
  }
  // The file of a generation in place of another.
  await directory.rename('_1_33.live', '_1_34.live')
  await t.rejects(readLiveDocs(directory, '_1', id, 34, 33, 11), { code: 'INDEX_CORRUPT' })

  const info: SegmentInfo = {
    name: '_1',
    id,
    maxDoc: 5,
    source: 'merge',
    files: new Map([
      ['fields', 1],
      ['terms', 2],
      ['postings', 3],
      ['position', 2 ** 35],
      ['norms', 5],
      ['values', 7],
      ['stored', 6],
    ]),
  }
  await writeSegmentInfo(directory, info)
  t.strictSame(await readSegmentInfo(directory, '_1', id), info)
})

t.test('stored fields: order, kinds, chunks, half characters', async (t) => {
  const infos = new Map<number, FieldInfo>([
    [0, { ...INFO, name: 'a' }],
    [1, { ...INFO, number: 1, name: 'constructor', type: fieldType('keyword') }],
    [2, { ...INFO, number: 2, name: 'n', type: fieldType('unIndexed') }],
    [3, { ...INFO, number: 3, name: 'x', type: fieldType('float') }],
  ])
  const numberOf = (name: string) => ['a', 'constructor', 'n', 'x'].indexOf(name)
  const documents: Document[] = [
    new Document(),
    new Document().add(Field.text('a', '')),
    new Document()
      .add(Field.text('a', 'x'))
      .add(Field.keyword('constructor', '\0'))
      .add(Field.text('a', 'y'))
      .add(Field.unIndexed('n', 'z'))
      .add(Field.float('x', -0)),
    new Document().add(Field.unStored('a', 'gone')).add(Field.text('a', '\ud800 half \udc00')),
    new Document().add(Field.text('a', '中文𝄞'.repeat(100_000))),
  ]
  for (let i = 0; i < 500; i++)
    documents.push(new Document().add(Field.text('a', `${i} ${random.next()} `.repeat(random.below(20)))))
  documents.push(new Document())
  const directory = new MemoryDirectory()
  const writer = new StoredFieldsWriter(await CheckedOutput.create(directory, 's', 'stored', id))
  for (const document of documents) {
    writer.addDocument(document, numberOf)
    if (writer.needsDrain) await writer.drain()
  }
  await writer.finish()
  const reader = await StoredFieldsReader.open(
    await CheckedInput.open(directory, 's', 'stored', id),
    documents.length,
    infos,
  )
  t.ok(reader.chunkCount > 3)
  const order = documents.map((_, i) => i).sort(() => random.next() - 0.5)
  for (const i of order) {
    const expected = documents[i].fields.filter((field) => field.type.stored)
    const found = (await reader.document(i)).fields
    if (JSON.stringify(found) !== JSON.stringify(expected)) t.fail(`document ${i} differs`)
  }
  t.equal((await reader.document(3)).get('a'), '\ud800 half \udc00')
  await reader.close()
})

t.test('commit point', async (t) => {
  const directory = new MemoryDirectory()
  const userData: Record<string, string> = JSON.parse('{"__proto__": "p", "constructor": "", "序号": "12"}')
  const commit: CommitPoint = {
    generation: 12,
    nextSegment: 9,
    segments: [
      { name: '_3', id, maxDoc: 100, liveGeneration: 0, deletedCount: 0 },
      { name: '_8', id, maxDoc: 7, liveGeneration: 2, deletedCount: 7, valueGenerations: new Map([[1, 3]]) },
    ],
    fields: [
      { name: 'a', options: 'positions', norms: true, type: fieldType('text') },
      { name: 'b', options: 'none', norms: false, type: fieldType('unIndexed') },
    ],
    analyzer: { name: 'x', settings: { a: [1, null, { b: 'c' }] }, fingerprint: 'f' },
    analyzers: new Map([['__proto__', { name: 'y', settings: {}, fingerprint: '' }]]),
    userData,
  }
  await writeCommitPoint(directory, 'segments_12', id, commit)
  const read = await readCommitPoint(directory, 12)
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  t.strictSame({ ...read, userData: 0 }, { ...commit, userData: 0, createdBy: `spindle ${version}` })
  t.strictSame(Object.entries(read.userData), Object.entries(userData))
  await writeCommitPoint(directory, 'segments_13', id, commit)
  await t.rejects(readCommitPoint(directory, 13), { code: 'INDEX_CORRUPT' }, 'a commit under the name of another')
  t.equal(
    latestGeneration(['segments_9', 'segments_10', 'pending_segments_11', 'segments_x', 'segments_012', 'README']),
    10,
  )
  t.equal(commitGeneration('segments_0'), undefined)
  for (const ours of ['_0.terms', '_12_3.live', 'segments_1', 'pending_segments_2']) t.ok(isIndexFile(ours), ours)
  for (const other of [
    '.DS_Store',
    '_0.txt',
    'write.lock',
    'segments.gen',
    '_0_1.terms',
    'x_0.terms',
    'segments_1.bak',
  ])
    t.notOk(isIndexFile(other), other)
})
