/** An embeddable full-text search library for Chinese and English. The list below is its whole public surface. */
export {
  type AnalysisMode,
  type Analyzer,
  type AnalyzerLayer,
  type AnalyzerSetting,
  type AnalyzerSettings,
  MAX_TERM_LENGTH,
  type QueryPlan,
  type TokenSink,
} from './analysis/analyzer.js'
export { BigramAnalyzer } from './analysis/bigram/bigram-analyzer.js'
export { ChineseAnalyzer, type ChineseAnalyzerOptions } from './analysis/chinese/chinese-analyzer.js'
export { CHINESE_FUNCTION_WORDS } from './analysis/chinese/function-words.js'
export { parseJiebaDictionary } from './analysis/chinese/jieba-dictionary.js'
export { standardDictionary } from './analysis/chinese/standard-dictionary.js'
export { printEntry, UserDictionary, type UserEntry } from './analysis/chinese/user-dictionary.js'
export { readUserDictionary, UserDictionaryFile } from './analysis/chinese/user-dictionary-file.js'
export { isDictionaryWord, type UserWord, WordDictionary } from './analysis/chinese/word-dictionary.js'
export {
  type CharacterFilter,
  type MappedText,
  type PartFactory,
  PartRegistry,
  type PartSettings,
  type PartSpec,
  type TokenFilter,
  type Tokenizer,
  type TokenTarget,
} from './analysis/custom/chain-parts.js'
export { characterFilters } from './analysis/custom/character-filters.js'
export { CustomAnalyzer, type CustomAnalyzerSettings } from './analysis/custom/custom-analyzer.js'
export { tokenFilters } from './analysis/custom/token-filters.js'
export { tokenizers } from './analysis/custom/tokenizers.js'
export { EnglishAnalyzer } from './analysis/english/english-analyzer.js'
export { STEMMERS, type StemmerName, type StemSettings } from './analysis/english/word-stemmer.js'
export { fingerprint } from './analysis/fingerprint.js'
export { KeywordAnalyzer } from './analysis/keyword-analyzer.js'
export { type AnalyzerFactory, type AnalyzerSpec, analyzerFromSpec, registerAnalyzer } from './analysis/registry.js'
export { StandardAnalyzer, type StandardAnalyzerSettings } from './analysis/standard/standard-analyzer.js'
export { parseSynonyms, type SynonymRule } from './analysis/synonyms/parse-synonyms.js'
export { SynonymMap, type SynonymMatch } from './analysis/synonyms/synonym-map.js'
export { type Token, tokenize } from './analysis/tokenize.js'
export { type CheckIndexOptions, checkIndex } from './check/check-index.js'
export type { CheckReport, FileReport, PartReport, SegmentReport } from './check/check-report.js'
export { type ExorciseOptions, type ExorciseResult, exorcise } from './check/exorcise.js'
export { DocValues } from './codec/doc-values.js'
export { byte4ToInt } from './codec/small-float.js'
export { type Period, periodOf } from './document/date-period.js'
export { Document } from './document/document.js'
export { Field, type KeywordOptions } from './document/field.js'
export type { CombinedSource, FieldInfo, PostingsOptions } from './document/field-info.js'
export type { FieldKind, FieldOptions, FieldType, TextOptions } from './document/field-type.js'
export { compareEvaluations, type MeasureComparison, type QueryChange } from './evaluate/compare-evaluations.js'
export { type Evaluation, evaluateRun, percentile } from './evaluate/evaluate-run.js'
export { failedGates, type Gate, parseGate } from './evaluate/gate.js'
export { type JudgedRanking, judgeRanking, MEASURE_NAMES, type Measure, parseMeasure } from './evaluate/measure.js'
export {
  type PairedTest,
  pairedTTest,
  type RandomizationOptions,
  randomizationTest,
} from './evaluate/significance.js'
export {
  formatJudgements,
  formatRun,
  formatTopics,
  type Grades,
  type Judgements,
  parseJudgements,
  parseRun,
  parseTopics,
  type RankedDocument,
  type Run,
  type Topics,
  type TrecSource,
} from './evaluate/trec-files.js'
export {
  allFacetCounts,
  type FacetCount,
  type FacetCounts,
  type FacetRequest,
  facetCounts,
} from './facet/facet-counts.js'
export { combinedFieldsWith } from './highlight/combined-fields-with.js'
export { type Highlight, type HighlightOptions, highlight, highlightWhole, MarkedText } from './highlight/highlight.js'
export type { Passage } from './highlight/score-passages.js'
export type { IndexSource } from './indexing/add-indexes.js'
export { ChangedWords } from './indexing/changed-words.js'
export { type CombinedFieldOptions, MAX_SOURCE_WEIGHT } from './indexing/combined-fields.js'
export type { HeldCommit } from './indexing/held-commit.js'
export { IndexDictionary, recordedDictionary, withoutDictionary } from './indexing/index-dictionary.js'
export { type CloseOptions, type CommitOptions, IndexWriter, type IndexWriterOptions } from './indexing/index-writer.js'
export type { MergeStats } from './indexing/merge-stats.js'
export type {
  DerivedFields,
  Reanalysis,
  ReanalysisOptions,
  ReanalysisQuery,
  ReanalysisScope,
} from './indexing/reanalysis.js'
export { type HitsOptions, type HitsResult, hits } from './link-rank/hits.js'
export { LinkGraph } from './link-rank/link-graph.js'
export type { LinkWeightOptions } from './link-rank/link-weights.js'
export { type PageRankOptions, type PageRankResult, pageRank } from './link-rank/page-rank.js'
export { ENGLISH_FUNCTION_WORDS } from './query-parser/english-function-words.js'
export type { CombinedScoring } from './query-parser/field-clauses.js'
export type { FieldWord } from './query-parser/field-word.js'
export { indexAnalyzers } from './query-parser/index-analyzers.js'
export { type IgnoredPart, QueryParseError } from './query-parser/parse-problem.js'
export type { QueryWord } from './query-parser/plain-clause.js'
export { printSyntax } from './query-parser/print-syntax.js'
export {
  type FieldAnalyzers,
  type ParsedQuery,
  type QueryFields,
  QueryParser,
  type QueryParserLimits,
  type QueryParserOptions,
  type QueryParserSettings,
} from './query-parser/query-parser.js'
export type { ClauseSyntax, GroupSyntax, SyntaxNode } from './query-parser/syntax-tree.js'
export {
  type CollectionStats,
  type CommitInfo,
  IndexReader,
  type MemoryUse,
  type OpenReaderOptions,
  type ReaderAnalyzers,
  type ReaderSource,
} from './reading/index-reader.js'
export type { DocumentView, FieldView, SegmentView, TermsOptions, TermView } from './reading/index-views.js'
export { publishIndex } from './reading/publish-index.js'
export type { SegmentReader } from './reading/segment-reader.js'
export type { TermOccurrence } from './reading/term-occurrences.js'
export type { Explanation, ExplanationOperator } from './search/explanation.js'
export { type ExtractKeywordsOptions, extractKeywords, type Keyword } from './search/extract-keywords.js'
export type {
  CombineScores,
  DecayFunction,
  LogarithmFunction,
  SaturationFunction,
  ScoreFunction,
  ValueFunction,
} from './search/function/score-function.js'
export type { Hit, Hits } from './search/hits.js'
export {
  IndexSearcher,
  type IndexSearcherOptions,
  type OpenSearcherOptions,
  type SearchOptions,
  type SegmentMatches,
} from './search/index-searcher.js'
export type { MoreLikeDocumentOptions } from './search/more-like-document.js'
export type { PositionMatcher } from './search/positions/position-matcher.js'
export type { PositionPattern } from './search/positions/position-pattern.js'
export { Spans } from './search/positions/spans.js'
export { TermPositions } from './search/positions/term-positions.js'
export { type BooleanClause, BooleanQuery, type Occur } from './search/query/boolean-query.js'
export { BoostQuery } from './search/query/boost-query.js'
export { CombinedFieldQuery } from './search/query/combined-field-query.js'
export { ConstantScoreQuery } from './search/query/constant-score-query.js'
export { CoverageQuery } from './search/query/coverage-query.js'
export { DisjunctionMaxQuery } from './search/query/disjunction-max-query.js'
export { ExistsQuery } from './search/query/exists-query.js'
export { FilterQuery } from './search/query/filter-query.js'
export { type FunctionScoreOptions, FunctionScoreQuery } from './search/query/function-score-query.js'
export { type FuzzyOptions, FuzzyQuery } from './search/query/fuzzy-query.js'
export { MatchAllQuery } from './search/query/match-all-query.js'
export { MatchNoneQuery } from './search/query/match-none-query.js'
export { type LikeText, type MoreLikeThisOptions, MoreLikeThisQuery } from './search/query/more-like-this-query.js'
export { MultiPhraseQuery } from './search/query/multi-phrase-query.js'
export { type NearClause, type NearOptions, NearQuery } from './search/query/near-query.js'
export type { NumberBound } from './search/query/number-bound.js'
export { type NumberRange, NumberRangeQuery } from './search/query/number-range-query.js'
export { PhraseQuery } from './search/query/phrase-query.js'
export { PrefixQuery } from './search/query/prefix-query.js'
export { Query, type QueryVisitor } from './search/query/query.js'
export { RegexpQuery } from './search/query/regexp-query.js'
export { type StaticRankOptions, StaticRankQuery } from './search/query/static-rank-query.js'
export { SynonymQuery } from './search/query/synonym-query.js'
export { TermQuery } from './search/query/term-query.js'
export { TermRangeQuery } from './search/query/term-range-query.js'
export { TermSetQuery } from './search/query/term-set-query.js'
export { WildcardQuery } from './search/query/wildcard-query.js'
export type { AtLimit, SearchStop } from './search/scorer/search-limits.js'
export { type BM25Options, BM25Similarity } from './search/similarity/bm25-similarity.js'
export type { BM25FOptions } from './search/similarity/bm25f-formula.js'
export { BooleanSimilarity } from './search/similarity/boolean-similarity.js'
export { ClassicSimilarity } from './search/similarity/classic-similarity.js'
export { PerFieldSimilarity } from './search/similarity/per-field-similarity.js'
export type { Similarity, SimScorer } from './search/similarity/similarity.js'
export type { FieldSortKey, SortCursor, SortKey, SortValue } from './search/sort/sort-key.js'
export { Term } from './search/term.js'
export type { CombinedField } from './search/weight/combined-field-weight.js'
export type { Directory, FileInput, FileOutput, WriteLock } from './store/directory.js'
export { FsDirectory } from './store/fs-directory.js'
export { HttpDirectory } from './store/http-directory.js'
export type { HttpDirectoryOptions, HttpTraffic } from './store/http-range-client.js'
export { MemoryDirectory } from './store/memory-directory.js'
export { type CompleteOptions, Completer, type CompleterOptions } from './suggest/completer.js'
export { PinyinWords } from './suggest/pinyin-words.js'
export { searchAsYouType } from './suggest/search-as-you-type.js'
export { type QueryCorrection, SpellChecker, type SpellCheckerOptions } from './suggest/spell-checker.js'
