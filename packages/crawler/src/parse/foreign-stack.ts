/**
 * Where in SVG or MathML the reader is: there a `<title>`, `<style>` or `<script>` is an element like any other and does not
 * change how the markup after it is read. Kept only while inside of such a part; outside it costs one comparison a tag.
 */

/** Deepest nesting followed; deeper elements are taken for part of the one at this depth. */
const MAX_DEPTH = 512

interface Entry {
  readonly name: string
  readonly svg: boolean
  /** its content is HTML again (HTML and MathML text integration points) */
  readonly html: boolean
}

/** The open elements of foreign content. */
export class ForeignStack {
  readonly #entries: Entry[] = []
  /** by name, how many are open: an end tag of nothing costs one look */
  readonly #names = new Map<string, number>()
  /** depth of the outermost open style or script, -1 where there is none */
  #hiddenFrom = -1

  /** True within any foreign part, its HTML islands included. */
  get open(): boolean {
    return this.#entries.length > 0
  }

  /** True where tags are foreign: inside, but not in an HTML island. */
  get foreign(): boolean {
    return this.#entries.length > 0 && !this.#entries[this.#entries.length - 1]!.html
  }

  /** True within a foreign style or script: what is there is for no reader. */
  get hidden(): boolean {
    return this.#hiddenFrom >= 0
  }

  /** `<svg>`, `<math>`, or any start tag where tags are foreign. */
  push(name: string, encoding: string | undefined): void {
    if (this.#entries.length >= MAX_DEPTH) return
    const svg = name === 'svg' || (name !== 'math' && this.#entries[this.#entries.length - 1]?.svg === true)
    let html: boolean
    if (svg) html = name === 'foreignobject' || name === 'desc' || name === 'title'
    else if (name === 'annotation-xml') html = encoding === 'text/html' || encoding === 'application/xhtml+xml'
    else html = name === 'mi' || name === 'mo' || name === 'mn' || name === 'ms' || name === 'mtext'
    if ((name === 'style' || name === 'script') && this.#hiddenFrom < 0) this.#hiddenFrom = this.#entries.length
    this.#entries.push({ name, svg, html })
    this.#names.set(name, (this.#names.get(name) ?? 0) + 1)
  }

  /** An end tag: closes the innermost element of that name, if one is open. Returns whether one was. */
  close(name: string): boolean {
    if (!this.#names.has(name)) return false
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      if (this.#entries[i]!.name !== name) continue
      this.#truncate(i)
      return true
    }
    return false
  }

  /** A tag that foreign content cannot hold: back to the innermost HTML island, or out altogether. */
  leave(): void {
    let depth = this.#entries.length
    while (depth > 0 && !this.#entries[depth - 1]!.html) depth--
    this.#truncate(depth)
  }

  #truncate(depth: number): void {
    for (const { name } of this.#entries.splice(depth)) {
      const others = this.#names.get(name)! - 1
      if (others === 0) this.#names.delete(name)
      else this.#names.set(name, others)
    }
    if (this.#hiddenFrom >= depth) this.#hiddenFrom = -1
  }
}
