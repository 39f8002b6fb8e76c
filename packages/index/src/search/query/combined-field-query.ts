/** A word looked for in several fields as if they were one. */
import type { SearchContext } from '../search-context.js'
import type { BM25FOptions } from '../similarity/bm25f-formula.js'
import { Term } from '../term.js'
import { type CombinedField, CombinedFieldWeight } from '../weight/combined-field-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/**
 * Matches documents that hold the term in any of the fields. Scored by BM25F whatever the searcher's similarity is:
 * frequencies are added up before they saturate, so the fields have to be analyzed alike and keep frequencies.
 * @example
 * ```ts
 * import {
 *   CombinedFieldQuery,
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   StandardAnalyzer,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const { title, body } of [
 *   { title: 'Silk', body: 'a fibre of moths' },
 *   { title: 'Trade', body: 'silk for horses' },
 * ]) {
 *   await writer.addDocument(new Document().add(Field.text('title', title)).add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const fields = [
 *   { name: 'title', weight: 2, bonus: 0.2 },
 *   { name: 'body', weight: 1, bonus: 0 },
 * ]
 * const hits = await searcher.search(new CombinedFieldQuery(fields, 'silk'))
 * console.log(hits.length, (await hits.doc(0)).get('title')) // 2 Silk
 * ```
 */
export class CombinedFieldQuery extends Query {
  readonly fields: readonly CombinedField[]
  readonly text: string
  readonly options: BM25FOptions

  /** @throws RangeError where there is no field, or a weight or bonus is out of its range */
  constructor(fields: readonly CombinedField[], text: string, options: BM25FOptions = {}) {
    super()
    if (fields.length === 0) throw new RangeError('A CombinedFieldQuery needs at least one field')
    for (const { name, weight, bonus } of fields) {
      if (!(weight >= 0 && weight < Infinity && bonus >= 0 && bonus < Infinity)) {
        throw new RangeError(`The field '${name}' needs a weight ≥ 0 and a bonus ≥ 0: ${weight}, ${bonus}`)
      }
    }
    if (fields.every(({ weight }) => weight === 0)) throw new RangeError('One field at least needs a weight > 0')
    this.fields = fields
    this.text = text
    this.options = options
  }

  createWeight(context: SearchContext, boost: number): Weight {
    return new CombinedFieldWeight(context, this.fields, this.text, this.options, this.toString(), boost)
  }

  visit(visitor: QueryVisitor): void {
    for (const { name } of this.fields) visitor.term(new Term(name, this.text))
  }

  /** For example `(title^2+body):silk`. */
  toString(): string {
    const names = this.fields.map(({ name, weight }) => (weight === 1 ? name : `${name}^${weight}`))
    return `${names.length === 1 ? names[0] : `(${names.join('+')})`}:${this.text}`
  }
}
