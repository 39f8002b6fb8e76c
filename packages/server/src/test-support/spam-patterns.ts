/**
 * Twenty ways to stuff a page with the words of a query, each with an honest page about the same. The texts are made for this. For
 * tests only.
 */

/** A page as it is crawled. */
export interface MadePage {
  readonly title: string
  readonly text: string
  readonly keywords?: readonly string[]
}

/** A query, the page that answers it, and one that only wants to be found. */
export interface SpamPattern {
  readonly name: string
  readonly query: string
  readonly honest: MadePage
  readonly spam: MadePage
}

const again = (text: string, times: number): string => Array.from({ length: times }, () => text).join(' ')

/** A page of somebody who knows what it is about. */
function essay(topic: string): MadePage {
  return {
    title: `About ${topic}`,
    text: `Everything that you need to know of ${topic} fits on one page. People have cared for it since the eighteenth century,
when a clerk in Lisbon described it in a letter to his sister. Whoever begins with ${topic} should take some time: a mistake in the
first week costs a month later. Buy little, borrow much, and write down what you did on which day. There are three schools. The
northern one works in the morning and keeps everything dry; the southern one waits for the first warm night. The third came from
overseas and has few friends. We tried all of them with ${topic} for two summers, in a shed behind the station, and measured weight,
colour and the hours spent. The northern way won by a little, and it is by far the cheapest. Questions go to the address below; we
answer within a week, except in August. The society meets on the second Tuesday of each month above the bakery, where a small library
stands open to members and guests alike.`,
  }
}

function chineseEssay(topic: string): MadePage {
  return {
    title: `${topic}简介`,
    text: `关于${topic}，初学者需要了解的内容都在这一页。早在十八世纪，一位职员就在写给姐姐的信里描述过它。开始之前请多花一些时间，第一周的错误往往
要用一个月来弥补。先借后买，把每天做的事情记下来。做法大致有三派：北方的一派清晨动手，讲究干燥；南方的一派等到第一个温暖的夜晚；第三派从海外传来，追随的人不多。
我们用两个夏天比较了三种做法，记录重量、颜色和花费的时间，结果北方的办法略胜一筹，也最便宜。有问题请写信，一周之内回复，八月除外。协会每月第二个星期二在面包店楼上聚会，
书架对会员和客人开放。`,
  }
}

const FILLER = `The weather was fine and nobody was in a hurry. Some went down to the river, others stayed and read old newspapers
until the lamps were lit. In the evening there was soup. A dog slept under the table and dreamed of something fast. Later they spoke
of prices, of the new bridge, and whether the ferryman would find other work.`

const PATTERNS: readonly (readonly [name: string, query: string, spam: (words: string) => MadePage])[] = [
  ['one word five hundred times', 'beekeeping', (w) => ({ title: w, text: again(w, 500) })],
  ['one word two thousand times', 'falconry', (w) => ({ title: w, text: again(w, 2000) })],
  ['one word forty times', 'bookbinding', (w) => ({ title: `${w}!`, text: again(w, 40) })],
  ['a phrase again and again', 'cheap violin strings', (w) => ({ title: `${w} ${w}`, text: again(w, 200) })],
  ['title and text stuffed', 'lacemaking', (w) => ({ title: again(w, 12), text: again(`${w} shop`, 150) })],
  [
    'the words and a few others in turn',
    'sourdough starter',
    (w) => ({ title: w, text: again(`buy ${w} best ${w} online`, 120) }),
  ],
  [
    'each word in a block of its own',
    'copper roofing',
    (w) => ({
      title: w,
      text: w
        .split(' ')
        .map((one) => again(one, 150))
        .join('\n'),
    }),
  ],
  [
    'a list of lists',
    'pottery wheel',
    (w) => ({ title: w, text: again(`${w}, ${w} sale, ${w} discount, ${w} near me.`, 60) }),
  ],
  ['stuffed below a decent text', 'glassblowing', (w) => ({ title: w, text: `${FILLER}\n${again(w, 300)}` })],
  ['stuffed before a decent text', 'saddlery', (w) => ({ title: w, text: `${again(w, 300)}\n${FILLER}` })],
  [
    'stuffed between decent texts',
    'mushroom hunting',
    (w) => ({ title: w, text: `${FILLER}\n${again(w, 120)}\n${FILLER}\n${again(w, 120)}` }),
  ],
  [
    'a word in every other place',
    'calligraphy',
    (w) => ({
      title: w,
      text: FILLER.split(/\s+/)
        .map((one) => `${one} ${w}`)
        .join(' '),
    }),
  ],
  [
    'upper case and marks',
    'basketry',
    (w) => ({ title: w.toUpperCase(), text: again(`*** ${w.toUpperCase()} ***`, 200) }),
  ],
  [
    'keywords of the page stuffed',
    'clockmaking',
    (w) => ({ title: w, text: again(`${w} here`, 60), keywords: [again(w, 200)] }),
  ],
  ['one of two words', 'tin whistle', (w) => ({ title: 'whistle', text: again(w.split(' ')[1]!, 400) })],
  ['forms of a word', 'weaving', () => ({ title: 'weave weaving', text: again('weave weaves weaving weaved', 150) })],
  ['hyphens', 'candle-making', (w) => ({ title: w, text: again(w, 250) })],
  ['a Chinese word', '养蜂', (w) => ({ title: w, text: again(w, 500).replaceAll(' ', '，') })],
  ['a Chinese phrase without a break', '便宜机票', (w) => ({ title: w, text: again(w, 300).replaceAll(' ', '') })],
  ['a Chinese word between others', '剪纸艺术', (w) => ({ title: w, text: again(`${w}价格 ${w}批发 ${w}哪里买`, 80) })],
]

/** All patterns. */
export const SPAM_PATTERNS: readonly SpamPattern[] = PATTERNS.map(([name, query, spam]) => {
  const honest = /\p{Script=Han}/u.test(query) ? chineseEssay(query) : essay(query)
  return { name, query, honest, spam: spam(query) }
})
