/** Which addresses of a SQLite frontier ended with the same bytes as another form of them; see page-variants.ts. */
import { variantOf } from './page-variants.js'
import type { WritingStatements } from './sqlite-schema.js'
import { VariantFilter } from './variant-filter.js'

/** Pages up to which their variants are read into memory; with more of them the database is asked each time. */
const MAX_FILTERED = 100_000

/** See the head of this file. */
export class SqliteTwins {
  readonly #sql: WritingStatements
  readonly #keyOf: (url: string) => number
  readonly #pageCount: () => number
  /** Made at the first question. */
  #known: VariantFilter | 'too-many' | undefined

  /** @param pageCount the pages of now */
  constructor(sql: WritingStatements, keyOf: (url: string) => number, pageCount: () => number) {
    this.#sql = sql
    this.#keyOf = keyOf
    this.#pageCount = pageCount
  }

  /** The key of a variant whose page is stored from now on. */
  add(url: string): number {
    const key = this.#keyOf(variantOf(url))
    if (this.#known instanceof VariantFilter) this.#known.add(key)
    return key
  }

  find(url: string, content: number): string | undefined {
    const variant = variantOf(url)
    const key = this.#keyOf(variant)
    this.#known ??= this.#read()
    if (this.#known instanceof VariantFilter && !this.#known.mayHave(key)) return undefined
    for (const [twin] of this.#sql.twins.all(key, content)) {
      // Keys may collide.
      if (twin !== url && variantOf(String(twin)) === variant) return String(twin)
    }
    return undefined
  }

  #read(): VariantFilter | 'too-many' {
    if (this.#pageCount() > MAX_FILTERED) return 'too-many'
    const known = new VariantFilter()
    for (const [key] of this.#sql.variants.all()) known.add(Number(key))
    return known
  }
}
