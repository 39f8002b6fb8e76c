/**
 * Content-Encoding undone as the bytes arrive: gzip, deflate (with or without its zlib wrapper) and brotli, at most two layers.
 * The HTTP client's own limits count wire bytes only, and its decoding takes a cut stream for a whole one; so every layer here
 * has a cap on what it gives out, a cap on how far it blows up its input, and a check that the stream came to its end.
 */

import zlib from 'node:zlib'

/** Most encodings on top of each other. */
export const MAX_LAYERS = 2
/** Most decoded bytes for one received byte … */
export const MAX_RATIO = 200
/** … counted from this many decoded bytes on. */
export const RATIO_FREE_BYTES = 1 << 20

type Coding = 'gzip' | 'deflate' | 'br'

/** What ended decoding early. */
export type DecodeFailure = 'bad-encoding' | 'truncated' | 'too-large'

/** The codings of a Content-Encoding header in the order they were applied, or undefined where one is unknown or there are too many. */
export function parseContentEncoding(header: string | undefined): readonly Coding[] | undefined {
  const codings: Coding[] = []
  if (header === undefined) return codings
  for (const part of header.toLowerCase().split(',')) {
    const name = part.trim()
    if (name === '' || name === 'identity') continue
    if (name === 'gzip' || name === 'x-gzip') codings.push('gzip')
    else if (name === 'deflate' || name === 'br') codings.push(name)
    else return undefined
    if (codings.length > MAX_LAYERS) return undefined
  }
  return codings
}

/** Where decoded bytes and the outcome go. */
export interface DecoderSink {
  /** True while more is wanted; after false no more comes. */
  data(chunk: Buffer): boolean
  end(): void
  fail(failure: DecodeFailure, detail: string): void
  /** More input can be written after `write` had said false. */
  drain(): void
}

/** A chain of decoding layers. */
export class ContentDecoder {
  readonly #layers: DecodingLayer[] = []
  #destroyed = false

  /** @param maxBytes cap of every layer's output */
  constructor(codings: readonly Coding[], maxBytes: number, sink: DecoderSink) {
    // the first in the header is the innermost: build from the inside out
    let inner: DecoderSink = {
      data: (chunk) => {
        if (this.#destroyed) return false
        const wanted = sink.data(chunk)
        if (!wanted) this.destroy()
        return wanted
      },
      end: () => {
        if (!this.#destroyed) sink.end()
      },
      fail: (failure, detail) => {
        if (this.#destroyed) return
        this.destroy()
        sink.fail(failure, detail)
      },
      drain: () => {},
    }
    const fail = inner.fail
    for (let i = 0; i < codings.length; i++) {
      const outermost = i === codings.length - 1
      const next = inner
      const layer: DecodingLayer = new DecodingLayer(codings[i]!, maxBytes, i === 0, {
        data: next.data,
        end: next.end,
        fail,
        drain: outermost ? () => sink.drain() : () => this.#layers[i + 1]?.resume(),
      })
      this.#layers.push(layer)
      inner = {
        data: (chunk) => {
          if (!layer.write(chunk)) this.#layers[i + 1]?.pause()
          return !this.#destroyed
        },
        end: () => layer.end(),
        fail,
        drain: () => {},
      }
    }
  }

  /** Feeds wire bytes; false asks to wait for `drain`. */
  write(chunk: Buffer): boolean {
    return this.#destroyed || this.#layers[this.#layers.length - 1]!.write(chunk)
  }

  /** No more wire bytes. */
  end(): void {
    if (!this.#destroyed) this.#layers[this.#layers.length - 1]!.end()
  }

  destroy(): void {
    this.#destroyed = true
    for (const layer of this.#layers) layer.destroy()
  }
}

/** One coding. Opens its zlib stream only after a look at the first bytes: a plain body under a wrong label is passed through. */
class DecodingLayer {
  readonly #coding: Coding
  readonly #maxBytes: number
  readonly #innermost: boolean
  readonly #sink: DecoderSink
  #mode: 'sniffing' | 'decoding' | 'plain' | 'done' = 'sniffing'
  #stream: zlib.Gunzip | zlib.Inflate | zlib.InflateRaw | zlib.BrotliDecompress | undefined
  /** input kept until the first output, so that codings without a magic number can still turn out to be plain */
  #kept: Buffer[] | undefined = []
  #keptBytes = 0
  #bytesOut = 0
  #ended = false

  constructor(coding: Coding, maxBytes: number, innermost: boolean, sink: DecoderSink) {
    this.#coding = coding
    this.#maxBytes = maxBytes
    this.#innermost = innermost
    this.#sink = sink
  }

  write(chunk: Buffer): boolean {
    if (this.#mode === 'plain') {
      this.#out(chunk)
      return true
    }
    if (this.#mode === 'done') return true
    if (this.#kept !== undefined) {
      this.#kept.push(chunk)
      this.#keptBytes += chunk.length
    }
    if (this.#mode === 'sniffing') {
      if (this.#keptBytes < 2) return true
      return this.#open()
    }
    if (this.#keptBytes > 1 << 16) this.#kept = undefined
    return this.#stream!.write(chunk)
  }

  end(): void {
    this.#ended = true
    if (this.#mode === 'sniffing') {
      // nothing at all is an empty body whatever the label says; one byte cannot be any of the codings
      this.#mode = 'plain'
      for (const chunk of this.#kept ?? []) this.#out(chunk)
      this.#kept = undefined
    }
    if (this.#mode === 'plain') this.#finish()
    else if (this.#mode === 'decoding') this.#stream!.end()
  }

  pause(): void {
    this.#stream?.pause()
  }

  resume(): void {
    this.#stream?.resume()
  }

  destroy(): void {
    this.#mode = 'done'
    this.#kept = undefined
    this.#stream?.destroy()
  }

  #open(): boolean {
    const head = Buffer.concat(this.#kept!)
    const options = { chunkSize: 1 << 15 }
    let stream: zlib.Gunzip | zlib.Inflate | zlib.InflateRaw | zlib.BrotliDecompress
    if (this.#coding === 'gzip') {
      if (head[0] !== 0x1f || head[1] !== 0x8b) return this.#turnPlain()
      stream = zlib.createGunzip(options)
    } else if (this.#coding === 'deflate') {
      // RFC 9110 means the zlib format (RFC 1950), but raw deflate is sent as well
      const wrapped = (head[0]! & 0x0f) === 8 && ((head[0]! << 8) | head[1]!) % 31 === 0
      stream = wrapped ? zlib.createInflate(options) : zlib.createInflateRaw(options)
    } else stream = zlib.createBrotliDecompress(options)
    this.#stream = stream
    this.#mode = 'decoding'
    stream.on('data', (chunk: Buffer) => {
      this.#kept = undefined
      this.#out(chunk)
    })
    stream.on('end', () => {
      if (this.#mode === 'decoding') this.#finish()
    })
    stream.on('drain', () => this.#sink.drain())
    stream.on('error', (error: NodeJS.ErrnoException) => this.#broken(error))
    return stream.write(head)
  }

  #broken(error: NodeJS.ErrnoException): void {
    if (this.#mode !== 'decoding') return
    const kept = this.#kept
    if (kept !== undefined && this.#coding !== 'gzip' && looksLikeText(Buffer.concat(kept))) {
      this.#turnPlain()
      this.#sink.drain()
      if (this.#ended) this.#finish()
      return
    }
    const cut = error.code === 'Z_BUF_ERROR'
    this.#mode = 'done'
    this.#sink.fail(cut ? 'truncated' : 'bad-encoding', `${this.#coding} ${cut ? 'ends early' : error.message}`)
  }

  #turnPlain(): boolean {
    const kept = this.#kept ?? []
    this.#kept = undefined
    this.#stream = undefined
    this.#mode = 'plain'
    for (const chunk of kept) this.#out(chunk)
    return true
  }

  #out(chunk: Buffer): void {
    this.#bytesOut += chunk.length
    // bytesWritten counts the input that zlib has worked off, not what is still queued
    const consumed = this.#stream?.bytesWritten ?? 0
    if (this.#mode === 'decoding' && this.#bytesOut > RATIO_FREE_BYTES && this.#bytesOut > consumed * MAX_RATIO) {
      this.#sink.fail('too-large', `${this.#coding} makes more than ${MAX_RATIO} bytes of each one received`)
      return
    }
    // the innermost layer's surplus is for the sink to cut; an outer one has no business being that big
    if (!this.#innermost && this.#bytesOut > this.#maxBytes) {
      this.#sink.fail('too-large', `${this.#coding} under another coding makes more than ${this.#maxBytes} bytes`)
      return
    }
    this.#sink.data(chunk)
  }

  #finish(): void {
    this.#mode = 'done'
    this.#sink.end()
  }
}

function looksLikeText(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, 1024)
  for (let i = 0; i < length; i++) {
    const byte = bytes[i]!
    if (byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b)) return false
  }
  return true
}
