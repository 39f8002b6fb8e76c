/** `GET /advanced`: a form that writes a query; filled in, it leads to the result page. */
import type { FastifyInstance } from 'fastify'
import { pageFrame } from '../http/page-frame.js'
import { type QueryFields, queryFieldsSchema } from '../http/query-fields.js'
import type { RouteContext } from '../http/route-context.js'
import { type AdvancedWhere, advancedQuery } from '../search/advanced-query.js'
import { noticeText } from '../search/result-view.js'
import { searchAddress } from '../search/search-address.js'
import type { QueryNotice } from '../search/search-backend.js'
import { MAX_QUERY_LENGTH, searchRequest } from '../search/search-request.js'

const WHERE: readonly AdvancedWhere[] = ['anywhere', 'title', 'address']
const TYPES = ['html', 'pdf', 'office', 'image', 'feed', 'text'] as const
const LANGUAGES = ['zh', 'en', 'de', 'es', 'fr', 'it', 'ja', 'ko', 'pt', 'ru']

/** Adds the advanced form. What it cannot make a query of comes back in the form, with the reason. */
export function advancedRoute(app: FastifyInstance, context: RouteContext): void {
  app.get('/advanced', { schema: { querystring: queryFieldsSchema } }, (request, reply) => {
    const fields = request.query as QueryFields
    const { from, to, sort } = fields
    const dates = searchRequest({ ...(from && { from }), ...(to && { to }) }, true)
    const where = WHERE.find((one) => one === fields.where) ?? 'anywhere'
    const values = {
      all: fields.all,
      phrase: fields.phrase,
      any: fields.any,
      none: fields.none,
      site: fields.site?.join(' '),
      type: fields.type?.[0],
      lang: fields.lang?.[0],
    }
    const asks = advancedQuery({ ...values, where, from: dates.request.filters.from, to: dates.request.filters.to })
    // an order alone asks for nothing
    const query = asks !== '' && sort === 'date' ? `${asks} sort:date` : asks
    const notices: QueryNotice[] = [...dates.notices]
    const tooLong = query.length > MAX_QUERY_LENGTH
    const frame = pageFrame(request, context.assets, 'plain', (t) => t.text('advanced.pageTitle'))
    const { t, hl } = frame
    if (query !== '' && !tooLong && notices.length === 0) {
      return reply.header('cache-control', 'no-cache').redirect(searchAddress({ query, hl }), 303)
    }
    const faults = notices.map((notice) => noticeText(notice, t))
    if (tooLong) faults.push(t.text('advanced.tooLong', { max: t.number(MAX_QUERY_LENGTH) }))
    return reply
      .code(faults.length > 0 ? 400 : 200)
      .header('cache-control', 'no-cache')
      .header('vary', 'accept-language')
      .view('advanced', {
        ...frame,
        faults,
        texts: (['all', 'phrase', 'any', 'none', 'site'] as const).map((name) => ({
          name,
          label: t.text(`advanced.${name}`),
          value: values[name] ?? '',
        })),
        choices: [
          {
            name: 'where',
            label: t.text('advanced.where'),
            options: WHERE.map((value) => ({
              value,
              label: t.text(`advanced.where.${value}`),
              chosen: value === where,
            })),
          },
          {
            name: 'type',
            label: t.text('narrow.type'),
            options: [
              { value: '', label: t.text('advanced.every'), chosen: values.type === undefined },
              ...TYPES.map((value) => ({
                value,
                label: t.text(`results.type.${value}`),
                chosen: value === values.type,
              })),
            ],
          },
          {
            name: 'lang',
            label: t.text('narrow.lang'),
            options: [
              { value: '', label: t.text('advanced.every'), chosen: values.lang === undefined },
              ...LANGUAGES.map((value) => ({ value, label: t.languageName(value), chosen: value === values.lang })),
            ],
          },
          {
            name: 'sort',
            label: t.text('narrow.sort'),
            options: (['relevance', 'date'] as const).map((value) => ({
              value,
              label: t.text(`narrow.sort.${value}`),
              chosen: value === (sort === 'date' ? 'date' : 'relevance'),
            })),
          },
        ],
        from: from ?? '',
        to: to ?? '',
      })
  })
}
