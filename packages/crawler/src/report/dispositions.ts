/**
 * How an address can end, in one table: the stable word, the heading it is counted under, and what it means.
 * Words not listed (`http-404`, the reasons of a failed fetch) are errors and speak for themselves.
 */

/** Headings of the closing table. */
export type DispositionClass = 'complete' | 'skipped' | 'error'

/** What a disposition means. */
export interface Disposition {
  readonly class: DispositionClass
  readonly meaning: string
  /** True where the address has a page in the page store. */
  readonly hasPage?: true
}

const TABLE: ReadonlyMap<string, Disposition> = new Map<string, Disposition>([
  ['fetched', { class: 'complete', hasPage: true, meaning: 'fetched, stored and given to the index' }],
  ['unchanged', { class: 'complete', hasPage: true, meaning: 'asked for again; as stored in an earlier crawl' }],
  [
    'sitemap-unchanged',
    { class: 'complete', hasPage: true, meaning: 'not asked for: its sitemap says that it is as it was stored' },
  ],
  [
    'oversize',
    {
      class: 'complete',
      hasPage: true,
      meaning: 'over the size limit: its beginning is stored and given to the index',
    },
  ],
  [
    'client-rendered',
    {
      class: 'complete',
      hasPage: true,
      meaning: 'stored and given to the index, but without text: scripts would make it in a browser',
    },
  ],
  ['redirect', { class: 'complete', meaning: 'leads to another address, which was offered to the crawl' }],
  ['duplicate', { class: 'complete', meaning: 'the same page is stored under another form of its address' }],
  ['noindex', { class: 'complete', hasPage: true, meaning: 'fetched; the page asks not to be indexed' }],
  ['sitemap', { class: 'complete', meaning: 'a sitemap; the addresses in it were offered to the crawl' }],
  [
    'feed',
    { class: 'complete', hasPage: true, meaning: 'a feed, stored; the links of its items were offered to the crawl' },
  ],
  ['soft-404', { class: 'skipped', meaning: 'fetched; says “not found” with the status of a page' }],
  ['no-server', { class: 'skipped', meaning: 'an address of the scanned ranges at which nothing answers' }],
  ['no-sitemap', { class: 'skipped', meaning: 'looked for where sitemaps often are; there is none' }],
  ['foreign-sitemap', { class: 'skipped', meaning: 'not fetched: listed by the sitemap of another host' }],
  ['host-limit', { class: 'skipped', meaning: 'not fetched: its host has more addresses than urlsPerHost' }],
  ['query-limit', { class: 'skipped', meaning: 'not fetched: more values of its parameters than urlsPerQuery' }],
  ['site-limit', { class: 'skipped', meaning: 'not fetched: its domain has more hosts than hostsPerSite' }],
  ['host-pages', { class: 'skipped', meaning: 'not fetched: pagesPerHost were taken from its host' }],
  ['host-bytes', { class: 'skipped', meaning: 'not fetched: bytesPerHost were taken from its host' }],
  ['site-bytes', { class: 'skipped', meaning: 'not fetched: bytesPerSite were taken from its domain' }],
  ['non-text', { class: 'skipped', meaning: 'fetched; holds no text that can be indexed' }],
  ['robots', { class: 'skipped', meaning: 'not fetched: the robots.txt of the host forbids it' }],
  [
    'robots-unavailable',
    { class: 'error', meaning: 'its robots.txt could not be fetched: nothing may be asked for now' },
  ],
  ['off-host', { class: 'skipped', meaning: 'not fetched: on a host outside of the scope' }],
  ['off-domain', { class: 'skipped', meaning: 'not fetched: on a domain outside of the scope' }],
  ['off-prefix', { class: 'skipped', meaning: 'not fetched: outside of the folders of the start addresses' }],
  ['off-range', { class: 'skipped', meaning: 'not fetched: on a host outside of the address ranges of the scope' }],
  ['not-included', { class: 'skipped', meaning: 'not fetched: no --include pattern fits' }],
  ['excluded', { class: 'skipped', meaning: 'not fetched: an --exclude pattern fits' }],
  ['calendar-trap', { class: 'skipped', meaning: 'not fetched: a calendar page far ahead or long ago' }],
  ['other-scheme', { class: 'skipped', meaning: 'not fetched: no http or https address (mail, ftp, …)' }],
  ['too-deep', { class: 'skipped', meaning: 'not fetched: more links from the start than --depth allows' }],
  ['suffix', { class: 'skipped', meaning: 'not fetched: the name says picture, archive, program or the like' }],
  ['url-too-long', { class: 'skipped', meaning: 'not fetched: the address is too long' }],
  ['path-trap', { class: 'skipped', meaning: 'not fetched: the path repeats itself, or has more than 20 parts' }],
  ['nofollow', { class: 'skipped', meaning: 'not fetched: found only in links that say nofollow' }],
  ['refused', { class: 'skipped', meaning: 'not fetched: refused by the program that runs the spider' }],
  ['redirect-loop', { class: 'error', meaning: 'leads back to itself' }],
  ['redirect-limit', { class: 'error', meaning: 'the tenth redirect in a row' }],
  ['bad-redirect', { class: 'error', meaning: 'a redirect without a usable target' }],
  ['unsupported-scheme', { class: 'error', meaning: 'leads to an address that is not http or https' }],
  [
    'blocked-address',
    { class: 'error', meaning: 'on this machine or in a private network, and not among the start addresses' },
  ],
  ['document-broken', { class: 'error', meaning: 'a PDF, Office file or the like that is damaged' }],
  ['document-encrypted', { class: 'error', meaning: 'a document that is protected by a password' }],
  ['document-too-large', { class: 'error', meaning: 'a document that is larger, or takes more memory, than one may' }],
  ['document-timeout', { class: 'error', meaning: 'a document that could not be read in time' }],
  ['document-failed', { class: 'error', meaning: 'a document that broke its reader' }],
  ['parse-error', { class: 'error', meaning: 'the page could not be parsed' }],
  ['process-error', { class: 'error', meaning: 'the program that runs the spider failed on the page' }],
])

/** The entry of a disposition; every unknown word is an error. */
export function dispositionOf(word: string): Disposition {
  return TABLE.get(word) ?? { class: 'error', meaning: 'could not be fetched' }
}

/** All entries, for the documentation. */
export function allDispositions(): ReadonlyMap<string, Disposition> {
  return TABLE
}
