import t from 'tap'
import { repetition } from './repetition.js'

t.test('only what repeats itself more than texts do', (t) => {
  const prose = `A word that stands alone says little, and the same word said again says no more. Writers have known this for as long as
there have been readers; so they look for another word, or leave it out, and whoever counts finds that few of them come back soon.`
  t.equal(repetition(prose), 0)
  t.equal(
    repetition(
      '养蜂需要耐心，初学者应当先向邻居请教，再购买蜂箱和工具。春天检查蜂群，夏天收蜜，秋天喂糖，冬天不要打扰它们。',
    ),
    0,
  )
  t.equal(repetition('silk silk silk'), 0, 'a few words tell nothing')
  t.ok(Math.abs(repetition('silk '.repeat(500)) - (1 / 0.06 - 1)) < 1e-9)
  t.ok(repetition('便宜机票'.repeat(100)) > 2, 'characters of Chinese')
  t.ok(repetition(`${prose} ${'Silk silk, '.repeat(40)}`) > 2)
  const start = process.cpuUsage().user
  repetition('a b '.repeat(5_000_000))
  t.ok(process.cpuUsage().user - start < 2e6, 'bounded work')
  t.end()
})
