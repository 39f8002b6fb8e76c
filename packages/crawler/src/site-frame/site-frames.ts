/**
 * The frames of the sites of an index: of each site and language, the pages with the least hashes of their addresses are compared,
 * so that the frame depends on the set of pages and not on their order. Costs the reading of {@link SAMPLE} pages a group, and in
 * memory 8 bytes a page.
 */
import type { StoredPage } from '../pages/stored-page.js'
import { FrameCounter, MIN_PAGES, type OwnText, type PageFrame } from './page-frame.js'

/** Pages of a group that are compared. */
const SAMPLE = 64
const NONE = -1

/** Reads the page of a node. */
export type ReadPage = (node: number) => Promise<StoredPage>

/** Notes which pages there are. */
export class FrameSampler {
  readonly #groups: Int32Array
  readonly #numbers = new Map<string, number>()
  /** by group: its nodes in ascending order, no more than are compared */
  readonly #samples: number[][] = []

  /** @param nodes how many pages there are; within a site they are numbered by the hash of their addresses */
  constructor(nodes: number) {
    this.#groups = new Int32Array(nodes).fill(NONE)
  }

  /** Notes a page, in any order. */
  note(node: number, site: string, language: string): void {
    const name = `${site} ${language}`
    let group = this.#numbers.get(name)
    if (group === undefined) {
      group = this.#samples.push([]) - 1
      this.#numbers.set(name, group)
    }
    this.#groups[node] = group
    const sample = this.#samples[group]!
    if (sample.length === SAMPLE && node > sample[SAMPLE - 1]!) return
    let at = sample.length
    while (at > 0 && sample[at - 1]! > node) at--
    sample.splice(at, 0, node)
    if (sample.length > SAMPLE) sample.pop()
  }

  /** Compares the pages noted. */
  async frames(read: ReadPage): Promise<SiteFrames> {
    const frames: (PageFrame | undefined)[] = []
    for (const sample of this.#samples) {
      if (sample.length < MIN_PAGES) {
        frames.push(undefined)
        continue
      }
      const counter = new FrameCounter()
      for (const node of sample) counter.add((await read(node)).parsed.text)
      const frame = counter.frame()
      frames.push(frame.isEmpty ? undefined : frame)
    }
    return new SiteFrames(this.#groups, frames)
  }
}

/** See the head of this file. */
export class SiteFrames {
  readonly #groups: Int32Array
  readonly #frames: readonly (PageFrame | undefined)[]

  constructor(groups: Int32Array, frames: readonly (PageFrame | undefined)[]) {
    this.#groups = groups
    this.#frames = frames
  }

  /** True where a page may have to be changed. */
  has(node: number): boolean {
    return this.#frameOf(node) !== undefined
  }

  /** The page without the frame of its site; undefined where it has none. */
  strip(node: number, { parsed }: StoredPage): OwnText | undefined {
    return this.#frameOf(node)?.strip(parsed.text, parsed.sections)
  }

  #frameOf(node: number): PageFrame | undefined {
    const group = this.#groups[node]!
    return group === NONE ? undefined : this.#frames[group]
  }
}
