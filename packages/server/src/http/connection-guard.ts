/**
 * What one connection may cost. Requests that are sent before the answers to earlier ones are read (pipelining) all
 * begin at once, and an answer that nobody reads stays in memory: both are counted here, a connection and all of them.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { SpindleError } from '@spindle/core'
import type { FastifyInstance } from 'fastify'

/** Requests without a complete answer on one connection; a client with more than that is cut off. */
const MAX_PENDING = 16
/** Bytes of answers, on all connections, that their readers have not taken yet; beyond that no search is begun. */
const MAX_UNSENT = 48 << 20
/** Costs hardly anything to answer, and tells an operator what is going on. */
const ALWAYS = /^\/(livez|readyz|healthz)(\?|$)/

/** What is open on a connection. */
interface Ledger {
  pending: number
  unsent: number
}

/** Counts requests and answers in progress. */
export class ConnectionGuard {
  readonly #ledgers = new WeakMap<Socket, Ledger>()
  #unsent = 0

  /** Bytes of answers that were made and not yet handed to the system. */
  get unsent(): number {
    return this.#unsent
  }

  /** Keeps a ledger for each connection of a server. */
  watch(server: Server): void {
    // after its last request a connection is to end; a client that goes on would be answered 503 for ever
    server.on('dropRequest', (_request, socket) => socket.destroy())
    server.on('connection', (socket) => {
      const ledger: Ledger = { pending: 0, unsent: 0 }
      this.#ledgers.set(socket, ledger)
      // answers in the queue of a connection that ends are never told of it
      socket.once('close', () => {
        this.#ledgers.delete(socket)
        this.#unsent -= ledger.unsent
      })
    })
  }

  /** Adds the hooks to an app, before all others. */
  add(app: FastifyInstance): void {
    app.addHook('onRequest', async (request, reply) => {
      const { socket } = request.raw
      const ledger = this.#ledgers.get(socket)
      if (ledger !== undefined) {
        ledger.pending++
        reply.raw.once('close', () => {
          ledger.pending--
        })
      }
      if (socket.destroyed || (ledger?.pending ?? 0) > MAX_PENDING) {
        reply.hijack()
        socket.destroy()
        return reply
      }
      if (this.#unsent > MAX_UNSENT && !ALWAYS.test(request.url)) {
        throw new SpindleError('SERVER_BUSY', 'Too many answers wait for their readers: try again in a moment.')
      }
    })
    app.addHook('onSend', async (request, reply, payload) => {
      const { socket } = request.raw
      const ledger = this.#ledgers.get(socket)
      const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
      if (ledger === undefined || bytes === 0) return
      ledger.unsent += bytes
      this.#unsent += bytes
      reply.raw.once('close', () => {
        if (!this.#ledgers.has(socket)) return
        ledger.unsent -= bytes
        this.#unsent -= bytes
      })
    })
  }
}
