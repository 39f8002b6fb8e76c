/**
 * When which host may be asked next. Each host with waiting addresses is in one of three places: ready (first come, first
 * served), asleep until a time (a heap), or busy with all the connections it may have. O(log hosts) a step.
 *
 * With a delay a host has one connection, and the delay runs from the end of one answer to the next request, so that a
 * slow server is asked less often; without one it has as many connections as the spider.
 */
import { PriorityQueue } from '@spindle/core'

/** Settings of {@link Politeness}. */
export interface PolitenessOptions {
  /** Least time between the end of an answer and the next request to the same host, milliseconds. */
  readonly delayMs: number
  /** Connections to a host that has no delay. */
  readonly connections: number
  /** Clock, milliseconds; default `Date.now`. */
  readonly now?: () => number
}

interface Host {
  readonly name: string
  delayMs: number
  active: number
  /** End of the last answer. */
  lastEnd: number
  /** No request before this time, whatever the delay. */
  pausedUntil: number
  /** Set aside until it is ready: does not keep the crawl going. */
  parked: boolean
  place: 'none' | 'ready' | 'asleep'
  failures: number
}

interface Sleeper {
  readonly host: Host
  readonly until: number
}

/** See the head of this file. */
export class Politeness {
  readonly #delayMs: number
  readonly #connections: number
  readonly #now: () => number
  readonly #hosts = new Map<string, Host>()
  readonly #setAside = new Set<string>()
  #ready: Host[] = []
  #readyHead = 0
  readonly #asleep = new PriorityQueue<Sleeper>((a, b) => a.until < b.until)

  constructor({ delayMs, connections, now = Date.now }: PolitenessOptions) {
    this.#delayMs = delayMs
    this.#connections = connections
    this.#now = now
  }

  /** Tells that a host has waiting addresses. */
  offer(name: string): void {
    this.#place(this.#host(name))
  }

  /** Takes the next host that may be asked now and counts one request as begun; undefined where none may be asked. */
  take(): string | undefined {
    const now = this.#now()
    for (;;) {
      const sleeper = this.#asleep.peek()
      if (sleeper === undefined || sleeper.until > now) break
      this.#asleep.pop()
      sleeper.host.place = 'none'
      // Asleep again where the host was paused meanwhile.
      this.#place(sleeper.host)
    }
    for (;;) {
      const host = this.#shift()
      if (host === undefined) return undefined
      host.place = 'none'
      // A delay may have begun, or become known, since it was put here.
      if (readyAt(host) > now || host.active >= this.#limit(host)) {
        this.#place(host)
        continue
      }
      host.active++
      this.#takeBack(host)
      this.#place(host)
      return host.name
    }
  }

  /** The request begun by {@link take} was not made, for the host has nothing waiting: it is offered again when it has. */
  withdraw(name: string): void {
    const host = this.#host(name)
    host.active--
    if (host.place !== 'ready') return
    this.#ready.splice(this.#ready.indexOf(host, this.#readyHead), 1)
    host.place = 'none'
  }

  /** The request begun by {@link take} was not made yet: the host takes its turn again when its delay or pause has passed. */
  postpone(name: string): void {
    const host = this.#host(name)
    host.active--
    this.#place(host)
  }

  /** Counts a request as begun without taking a turn: for a spider that chooses by other rules and asks {@link waitFor} first. */
  begin(name: string): void {
    const host = this.#host(name)
    host.active++
    this.#takeBack(host)
  }

  /** The answer to a request of {@link take} has ended: the delay begins. */
  finished(name: string): void {
    const host = this.#host(name)
    host.active--
    this.touched(name)
    this.#place(host)
  }

  /** A request outside of {@link take} (robots.txt) has ended: the delay begins. */
  touched(name: string): void {
    this.#host(name).lastEnd = this.#now()
  }

  /** Milliseconds until the delay or pause of a host has passed; 0 where it may be asked now. */
  waitFor(name: string): number {
    return Math.max(0, readyAt(this.#host(name)) - this.#now())
  }

  /** The delay that the host asks for; the larger one of it and the spider's own counts. */
  setCrawlDelay(name: string, delayMs: number): void {
    this.#host(name).delayMs = Math.max(this.#leastDelay(name), delayMs)
  }

  /** No request to the host for some time; never shortens an earlier pause. */
  pause(name: string, ms: number): void {
    const host = this.#host(name)
    host.pausedUntil = Math.max(host.pausedUntil, this.#now() + ms)
  }

  /** Sets a host aside: it is asked again after the time if the crawl still runs then, but does not keep it running. */
  park(name: string, ms: number): void {
    this.pause(name, ms)
    this.#host(name).parked = true
    this.#setAside.add(name)
  }

  /** @returns how many addresses of the host have failed one after the other, this one included */
  failed(name: string): number {
    return ++this.#host(name).failures
  }

  /** Ends the row of failures. */
  succeeded(name: string): void {
    this.#host(name).failures = 0
  }

  isParked(name: string): boolean {
    const host = this.#hosts.get(name)
    return host?.parked === true && readyAt(host) > this.#now()
  }

  /** Hosts that are set aside now. */
  parked(): string[] {
    return [...this.#setAside].filter((name) => this.isParked(name))
  }

  /** Hosts that may not be asked now and are not set aside, with the time from which on they may. */
  notReady(): Map<string, number> {
    const now = this.#now()
    const hosts = new Map<string, number>()
    for (const host of this.#hosts.values()) {
      if (readyAt(host) > now && !host.parked) hosts.set(host.name, readyAt(host))
    }
    return hosts
  }

  /** Milliseconds until a host that is not set aside may be asked (0: now); undefined where there is none. */
  nextIn(): number | undefined {
    if (this.#readyHead < this.#ready.length) return 0
    const now = this.#now()
    const top = this.#asleep.peek()
    if (top === undefined) return undefined
    if (!top.host.parked) return Math.max(0, top.until - now)
    let least: number | undefined
    for (const host of this.#hosts.values()) {
      if (host.place !== 'asleep' || host.parked) continue
      if (least === undefined || readyAt(host) < least) least = readyAt(host)
    }
    return least === undefined ? undefined : Math.max(0, least - now)
  }

  #host(name: string): Host {
    let host = this.#hosts.get(name)
    if (host === undefined) {
      host = {
        name,
        delayMs: this.#leastDelay(name),
        active: 0,
        lastEnd: 0,
        pausedUntil: 0,
        parked: false,
        place: 'none',
        failures: 0,
      }
      this.#hosts.set(name, host)
    }
    return host
  }

  /** Local files have no host, and nobody to be polite to. */
  #leastDelay(name: string): number {
    return name === '' ? 0 : this.#delayMs
  }

  #takeBack(host: Host): void {
    if (!host.parked) return
    host.parked = false
    this.#setAside.delete(host.name)
  }

  #place(host: Host): void {
    if (host.place !== 'none') return
    if (host.active >= this.#limit(host)) return
    if (readyAt(host) > this.#now()) {
      host.place = 'asleep'
      this.#asleep.push({ host, until: readyAt(host) })
    } else this.#makeReady(host)
  }

  #limit(host: Host): number {
    return host.delayMs > 0 ? 1 : this.#connections
  }

  #makeReady(host: Host): void {
    host.place = 'ready'
    this.#ready.push(host)
  }

  #shift(): Host | undefined {
    const host = this.#ready[this.#readyHead]
    if (host === undefined) return undefined
    if (++this.#readyHead > 1024 && this.#readyHead * 2 > this.#ready.length) {
      this.#ready = this.#ready.slice(this.#readyHead)
      this.#readyHead = 0
    }
    return host
  }
}

/** When the delay and the pause of a host have passed. */
function readyAt(host: Host): number {
  return host.delayMs > 0 ? Math.max(host.pausedUntil, host.lastEnd + host.delayMs) : host.pausedUntil
}
