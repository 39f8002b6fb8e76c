/** The search server as a library. The list below is the package's whole public surface. */
export { type AppOptions, buildApp, type ConnectionLimits } from './app.js'
export { type ServerConfig, serverOptions } from './config.js'
export type { CrawlProgress } from './http/route-context.js'
export { type RunningServer, type ServerOptions, startServer } from './main.js'
export { LocalIndexBackend, type LocalIndexOptions } from './search/local-index-backend.js'
export type {
  AlternativeQuery,
  BackendState,
  BackendStatus,
  QueryNotice,
  SearchBackend,
  SearchFilters,
  SearchHit,
  SearchRequest,
  SearchResponse,
} from './search/search-backend.js'
