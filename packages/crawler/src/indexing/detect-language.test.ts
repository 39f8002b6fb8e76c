import t from 'tap'
import { detectLanguage, primaryLanguage } from './detect-language.js'

/** Article 1 of the Universal Declaration of Human Rights. */
const ARTICLE: Readonly<Record<string, string>> = {
  en: 'All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.',
  de: 'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.',
  fr: 'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.',
  es: 'Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.',
  it: 'Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.',
  pt: 'Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.',
  nl: 'Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.',
  sv: 'Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.',
  da: 'Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd.',
  pl: 'Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.',
  cs: 'Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství.',
  tr: 'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.',
  vi: 'Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền. Mọi con người đều được tạo hoá ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình bằng hữu.',
  id: 'Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama. Mereka dikaruniai akal dan hati nurani dan hendaknya bergaul satu sama lain dalam semangat persaudaraan.',
  ru: 'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.',
  uk: 'Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.',
  el: 'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.',
  ar: 'يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق. وقد وهبوا عقلًا وضميرًا وعليهم أن يعامل بعضهم بعضًا بروح الإخاء.',
  fa: 'تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند. همه دارای عقل و وجدان هستند و باید نسبت به یکدیگر با روح برادری رفتار کنند.',
  zh: '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。',
  ja: 'すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。',
  ko: '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.',
}

t.test('the text tells its language, whatever the page says', async (t) => {
  for (const [language, text] of Object.entries(ARTICLE)) {
    t.equal(await detectLanguage(text, ''), language, `${language} without a word`)
    t.equal(await detectLanguage(text.repeat(2), 'en'), language, `${language} that is called English`)
    t.equal(await detectLanguage(text, `${language}-XX`), language, `${language} rightly named`)
  }
  t.equal(await detectLanguage('人人生而自由，在尊嚴和權利上一律平等。', 'zh-TW'), 'zh', 'Traditional Chinese')
  t.equal(await detectLanguage(ARTICLE.en!.repeat(2), 'zh-CN'), 'en', 'a page not yet translated')
})

t.test('language: the script decides where it is clear, then what the page says', async (t) => {
  t.equal(await detectLanguage('天安门广场位于北京市中心', 'en'), 'zh')
  t.equal(await detectLanguage('これは日本語の文章です。漢字もあります。', ''), 'ja')
  t.equal(await detectLanguage('안녕하세요 학교입니다', 'zh'), 'ko')
  t.equal(await detectLanguage('An English page that quotes 天安门 once', 'EN-us'), 'en')
  t.equal(await detectLanguage('Ein Text', 'de_AT'), 'de')
  t.equal(await detectLanguage('Ein Text', 'not a tag!'), '')
  t.equal(await detectLanguage('', ''), '')
  t.equal(await detectLanguage('12345 … 3.14', 'x'), '')
  t.equal(await detectLanguage('\u{20BB7}\u{20BB7}\u{20BB7}', ''), 'zh')
})

t.test('short texts, and texts of two languages', async (t) => {
  for (const [language, text] of Object.entries(ARTICLE)) {
    if (text.length < 100) continue
    const short = text.slice(0, 60)
    t.equal(await detectLanguage(short, language), language, `${short} named`)
  }
  t.equal(await detectLanguage('API', 'de'), 'de')
  t.equal(await detectLanguage('API', ''), '')
  t.equal(await detectLanguage('天安门', 'en'), 'zh')
  t.equal(await detectLanguage('Index: getValue setValue hashCode', 'en'), 'en')
  t.equal(await detectLanguage(`${ARTICLE.zh} ${ARTICLE.en}`, 'en'), 'zh', 'Chinese counts by its characters')
  const half = `${ARTICLE.en!.repeat(3)} ${ARTICLE.zh}`
  t.equal(await detectLanguage(half, 'zh-TW'), 'zh', 'a translation begun')
  t.equal(await detectLanguage(half, 'ja'), 'en')
  t.equal(await detectLanguage(half, ''), 'en')
  t.equal(await detectLanguage(`${'The menu of this site. '.repeat(2)}${ARTICLE.de!.repeat(9)}`, ''), 'de')
  const names = 'getValue setValue HashMap ArrayList toString valueOf InputStream '.repeat(20)
  t.equal(await detectLanguage(names, 'en'), 'en', 'names in programs')
  t.equal(await detectLanguage(names, 'fr'), 'fr')
})

t.test('tags are primary and canonical, and one that is not known is kept', async (t) => {
  const tags: [string, string][] = [
    ['zh-Hant-TW', 'zh'],
    ['EN_us', 'en'],
    ['deu', 'de'],
    ['iw', 'he'],
    ['nb-NO', 'no'],
    ['cmn', 'zh'],
    ['not a tag', ''],
    ['x-default', ''],
    ['', ''],
  ]
  for (const [tag, expected] of tags) t.equal(primaryLanguage(tag), expected, tag)
  t.equal(await detectLanguage('Is í an Ghaeilge teanga náisiúnta agus oifigiúil na hÉireann. '.repeat(5), 'ga'), 'ga')
})

t.test('no text throws or takes long', async (t) => {
  const before = process.cpuUsage()
  for (const text of [
    '',
    '\ud800',
    '\ud800'.repeat(1e6),
    'ab '.repeat(3e6),
    'a'.repeat(1e7),
    '\0'.repeat(1e6),
    '😀'.repeat(1e6),
  ]) {
    t.type(await detectLanguage(text, ''), 'string')
  }
  const { user } = process.cpuUsage(before)
  t.ok(user < 5e6, `${user / 1e6} CPU seconds`)
})
