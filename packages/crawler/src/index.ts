/** Polite, resumable web spider. The list below is the package's whole public surface, with the command line in `./cli`. */
export { type CheckParts, type CheckStep, checkUrl, type UrlCheck } from './check-url.js'
export { Crawl, type CrawlPlace, type CrawlSettings, type CrawlState } from './crawl.js'
export { FetchError, type FetchErrorReason } from './fetch/fetch-error.js'
export type { FetchResult } from './fetch/fetch-result.js'
export {
  defaultUserAgent,
  Fetcher,
  type FetcherOptions,
  type FetchOptions,
  type FetchTimeouts,
} from './fetch/fetcher.js'
export type { LoginSettings } from './fetch/login.js'
export { ProxyRules, type ProxySettings } from './fetch/proxy.js'
export { parseSites, type SiteSettings, type Sites } from './fetch/site-settings.js'
export { pageStoreState } from './frontier/batch.js'
export { breadthFirst, depthFirst, ORDER_NAMES, orderOf } from './frontier/crawl-order.js'
export { MemoryWorkload } from './frontier/memory-workload.js'
export { SqliteView } from './frontier/sqlite-view.js'
export { SqliteWorkload } from './frontier/sqlite-workload.js'
export {
  type Added,
  type Admission,
  type Alias,
  type ClaimedUrl,
  type CrawlOrder,
  type FinishedUrl,
  type FoundUrl,
  type FrontierView,
  type HostTimes,
  type ListFilter,
  type NewUrl,
  type Place,
  type PreviousVisit,
  QUEUES,
  type QueueCounts,
  type QueueName,
  type SkippedState,
  type SkippedUrl,
  type Tally,
  type UrlState,
  type Workload,
} from './frontier/workload.js'
export type { ImportEvent, Importer, ImportOptions, ImportReport } from './import/importer.js'
export { type LocalRoot, rootOf } from './import/local-files.js'
export { DEFAULT_MAPPING, parseMapping, type RecordMapping } from './import/record-mapping.js'
export { type ApplyDictionaryOptions, applyDictionary, type DictionaryReport } from './indexing/apply-dictionary.js'
export { type LocalIndexOptions, LocalIndexSink } from './indexing/local-index-sink.js'
export { PageFeed, type PageFeedOptions } from './indexing/page-feed.js'
export type { PageSink, SinkPosition } from './indexing/page-sink.js'
export { DEFAULT_PAGE_WEIGHTS, pageCombinedFields } from './indexing/page-weights.js'
export type { LinkReport } from './link-graph/link-phase.js'
export type { Scope } from './link-sorter.js'
export { newsCrawl } from './news/news-crawl.js'
export { type FoundItem, isArticle, type NewsItem, newsItems } from './news/news-items.js'
export { PageStore } from './pages/page-store.js'
export {
  isRemoval,
  type PageHead,
  type PagePosition,
  type PageRecord,
  type PageRemoval,
  type PageStoreState,
  type StoredPage,
  type StoredRecord,
  type StoredRemoval,
} from './pages/stored-page.js'
export {
  type FormField,
  HTMLPage,
  type PageCallback,
  type PageForm,
  type PageSource,
} from './parse/html-page.js'
export type { DateSource } from './parse/page-dates.js'
export type { PageSelectors } from './parse/page-selectors.js'
export type { PageImage, PageLink, ParsedPage } from './parse/parsed-page.js'
export {
  type CrawlReport,
  type FailedAddress,
  formatReport,
  type ReasonCounts,
  type StopReason,
} from './report/crawl-report.js'
export { allDispositions, type Disposition, type DispositionClass, dispositionOf } from './report/dispositions.js'
export { RobotsCache } from './robots/robots-cache.js'
export type { RobotsRules } from './robots/robots-rules.js'
export type { HostLimits } from './scope/host-budgets.js'
export { type ScopeOptions, ScopeRules, type SiteScope } from './scope/scope-rules.js'
export type { Trap, UrlLimits } from './scope/url-budgets.js'
export { type NormalizerOptions, UrlNormalizer } from './scope/url-normalizer.js'
export { type SampleSite, type SampleSiteOptions, serveSampleSite, storedSampleSite } from './sources/sample-site.js'
export type { SitemapMode } from './sources/site-lists.js'
export { Spider } from './spider.js'
export type { SpiderCallbacks } from './spider-callbacks.js'
export type { CrawlCounters, SpiderAction, SpiderEvent } from './spider-events.js'
export type { SpiderFetchOptions, SpiderOptions, SpiderStats } from './spider-options.js'
