/** Names of the fields of a crawled page in the index: written by the crawler, read by the server. */

/** Field names. The comment tells the kind of field. */
export const PageField = {
  /** keyword: the page's address, its identity */
  url: 'url',
  /** stored only: other addresses of the same page, one a line */
  alsoAt: 'alsoAt',
  /** text */
  title: 'title',
  /** text; behind it, a line each, what the page's pictures show in words */
  body: 'body',
  /** stored only: what the page says of itself */
  description: 'description',
  /** text: what the links of other pages call it, one text a line */
  anchor: 'anchor',
  /** number, only as a doc value: a hash of the anchor texts */
  anchorKey: 'anchorKey',
  /** number, only as a doc value: a hash of what was left out of the body because many pages of the site say it */
  frameKey: 'frameKey',
  /** number, only as a doc value: PageRank; the mean of all pages is 1 */
  pageRank: 'pageRank',
  /** number, only as a doc value: how well it links to what is linked well; the mean is 1, and it is missing where it is next to 0 */
  hub: 'hub',
  /** number, only as a doc value: how well it is linked by what links well; as `hub` */
  authority: 'authority',
  /** number, only as a doc value: how far it repeats its words beyond what texts do; missing where it does not */
  repetition: 'repetition',
  /** keyword: host and port of the address */
  site: 'site',
  /** keyword: primary language subtag (BCP 47), lower case: zh, en, … */
  lang: 'lang',
  /** keyword: html, pdf, office, image, feed or text */
  type: 'type',
  /** keyword: ISO 8601 date of publication, where the page tells one */
  date: 'date',
  /** date: the same as a moment (of a day, its first one in UTC), for ranges and sorts; not stored */
  published: 'published',
  /** stored only: ISO 8601 date of the last change, where the page tells one */
  modified: 'modified',
  /** keyword, any number: what the page gives to be filtered by, as `name:value` */
  filter: 'filter',
  /** text: who wrote it */
  author: 'author',
  /** text: words that the page names itself by, separated by commas */
  keywords: 'keywords',
  /** text, not stored: the headings of `sections`, a line each */
  headings: 'headings',
  /** text, not stored: the words of the address */
  address: 'address',
  /** combined of texts, each with a weight: where words are looked for that name no field */
  all: 'all',
  /** stored only: the parts of the body that an address can lead to; see `encodeSections` */
  sections: 'sections',
  /** stored only: the character encoding that the page was read in */
  charset: 'charset',
} as const

/** One of the names in {@link PageField}. */
export type PageFieldName = (typeof PageField)[keyof typeof PageField]
