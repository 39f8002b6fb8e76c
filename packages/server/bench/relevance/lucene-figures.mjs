/**
 * What Lucene 8.7 reaches on the sets with BM25: English by Porter's stems, Chinese by pairs of characters. A Chinese question has one
 * right document, so that its MAP is its mean reciprocal rank.
 */
const english = (value) => ({ language: 'en', measure: 'map', value })
const chinese = (value) => ({ language: 'zh', measure: 'mrr', value })

export const LUCENE = {
  adi: english(0.5139),
  cacm: english(0.3287),
  cisi: english(0.2513),
  cranfield: english(0.3146),
  med: english(0.5552),
  npl: english(0.2713),
  'cmrc2018-trial': chinese(0.9855),
  'cmrc2018-dev': chinese(0.9797),
  'drcd-dev': chinese(0.9605),
}
