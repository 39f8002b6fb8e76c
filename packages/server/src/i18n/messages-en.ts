/** English texts of the pages. Placeholders are `{name}`; a key that ends in `.one` / `.other` is chosen by number. */
export const messagesEn = {
  'site.name': 'Spindle',
  'site.description': 'Search pages in Chinese and English',
  'page.skip': 'Skip to the results',
  'page.skipToSearch': 'Skip to the search box',
  'page.home': 'Home page',
  'page.language': 'Language',

  'search.label': 'Search',
  'search.button': 'Search',
  'search.placeholder': 'Words, 词语 or a question',

  'home.title': 'Spindle – search',
  'home.lead.one': '{n} page can be found here.',
  'home.lead.other': '{n} pages can be found here.',

  'crawl.running.one': 'The spider is still at work and has read {n} page so far; new pages appear by themselves.',
  'crawl.running.other': 'The spider is still at work and has read {n} pages so far; new pages appear by themselves.',

  'help.title': 'How to search',
  'help.words': 'pages with any of these words; pages that have more of them come first',
  'help.words.example': 'silk road 丝绸之路',
  'help.phrase': 'exactly these words in this order',
  'help.phrase.example': '"silk road"',
  'help.must': 'both must be there',
  'help.must.example': 'silk AND road',
  'help.not': 'without pages that have the second word',
  'help.not.example': 'silk -road',
  'help.title.field': 'the word is in the title',
  'help.title.example': 'title:silk',
  'help.site': 'pages of one site only',
  'help.site.example': 'silk AND site:example.org',

  'results.title': '{query} – Spindle',
  'results.heading': 'Results',
  'results.count.one': '{n} result',
  'results.count.other': '{n} results',
  'results.atLeast': 'At least {n} results',
  'results.time': '{seconds} s',
  'results.page': 'page {page} of {pages}',
  'results.type.html': 'Web page',
  'results.type.pdf': 'PDF',
  'results.type.office': 'Office document',
  'results.type.image': 'Image',
  'results.type.feed': 'Feed',
  'results.type.text': 'Text file',
  'results.timedOut':
    'The search took too long and was stopped: there may be more results than these. Fewer or rarer words help.',
  'results.partial': 'A part of the index could not be searched: there may be more results than these.',

  'filters.label': 'Limited to',
  'filters.site': 'Site: {value}',
  'filters.type': 'Type: {value}',
  'filters.lang': 'Language: {value}',
  'filters.remove': 'Remove this limit',

  'pages.label': 'Result pages',
  'pages.previous': 'Previous',
  'pages.next': 'Next',
  'pages.page': 'Page {page}',
  'pages.current': 'Page {page}, this page',
  'pages.end': 'These are the first {n} results; to see others, add a word to the search.',
  'pages.beyond': 'There is no page {page} of these results.',
  'pages.first': 'Go to page 1',

  'notices.label': 'About this search',
  'notices.ignored': 'Left out, since it could not be understood: {text}',
  'notices.tooLong': 'The search was longer than {max} characters; only the beginning was used.',
  'notices.badPage': 'There is no such page or page size: “{text}”. This is the nearest one.',
  'notices.tooComplex': 'This search has too many words or brackets; the last of them were left out.',

  'none.title': 'Nothing found',
  'none.lead': 'No page matches {query}.',
  'none.try': 'These searches do find something',
  'none.without-quotes': 'Without quotation marks:',
  'none.without-exclusions': 'Without excluded words:',
  'none.any-word': 'Any of the words:',
  'none.without-filters': 'Without limits:',
  'none.tips': 'What else helps',
  'none.tip.spelling': 'Look for misspelled words.',
  'none.tip.general': 'Use more general or fewer words.',
  'none.tip.reword': 'Say the same in other words, or in the other language.',
  'none.nothing': 'There is no word to search for in {query}.',

  'waiting.title': 'Nothing can be found yet',
  'waiting.crawling': 'The spider is reading the first pages. This page looks again by itself every few seconds.',
  'waiting.crawled.one': 'Read so far: {n} page.',
  'waiting.crawled.other': 'Read so far: {n} pages.',
  'waiting.idle':
    'The index is empty: no crawl has brought any page yet. As soon as there are pages, this page shows the search box by itself.',
  'waiting.failed':
    'The index cannot be read at the moment. The server keeps trying, and this page looks again by itself. The operator finds the reason in the server’s log.',

  'error.back': 'Back to the search page',
  'error.request': 'Request number',
  'error.NOT_FOUND.title': 'There is no such page',
  'error.NOT_FOUND.text': 'The address may be misspelled, or the page is gone.',
  'error.METHOD_NOT_ALLOWED.title': 'This address cannot be used like that',
  'error.METHOD_NOT_ALLOWED.text': 'The page can be read, but nothing can be sent to it.',
  'error.BAD_REQUEST.title': 'This address cannot be read',
  'error.BAD_REQUEST.text': 'It holds a sequence of characters that has no meaning in an address.',
  'error.HOST_NOT_ALLOWED.title': 'This server does not answer for that host name',
  'error.HOST_NOT_ALLOWED.text': 'The operator can add the name to the setting “allowedHosts”.',
  'error.HEADERS_TOO_LARGE.title': 'The request is too large',
  'error.HEADERS_TOO_LARGE.text': 'The browser sent more headers than this server takes.',
  'error.SEARCH_FAILED.title': 'The search could not be carried out',
  'error.SEARCH_FAILED.text': 'The index could not be read just now. Please try again in a moment.',
  'error.REQUEST_TIMEOUT.title': 'That took too long',
  'error.REQUEST_TIMEOUT.text': 'Please try again with fewer words.',
  'error.SERVER_ERROR.title': 'Something went wrong here',
  'error.SERVER_ERROR.text':
    'It is not your fault. Please try again; if it stays, tell the operator the request number.',
} as const

/** The keys that every language must have. */
export type MessageKey = keyof typeof messagesEn
/** All texts of one language. */
export type Messages = Readonly<Record<MessageKey, string>>
