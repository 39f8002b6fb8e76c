/** Texts that analyzers are measured on: pages of Debian's documentation packages, and judged collections. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePage } from '../../../crawler/dist/parse/parse-page.js'
import { readQueries, readRecords } from '../relevance/collection.mjs'

export const CHINESE_PACKAGES = [
  'libreoffice-help-zh-cn',
  'gimp-help-zh-cn',
  'debian-handbook/zh-CN',
  'debian-handbook/zh-TW',
]
export const ENGLISH_PACKAGES = ['python3.11-doc', 'postgresql-doc-15']

/** Texts of the pages of a package, or of those in its folders of one name, in the order of their paths. */
export function sitePages(root, name) {
  const [packageName, folder] = name.split('/')
  const files = readdirSync(join(root, packageName), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.html?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => folder === undefined || path.split('/').includes(folder))
    .sort()
  const texts = []
  for (const path of files) {
    const { title, text } = parsePage({ url: `file://${path}`, contentType: 'text/html', body: readFileSync(path) })
    if (text.length > 100) texts.push(`${title}\n${text}`)
  }
  return texts
}

/** Collections with a language each, as texts of title and body. */
export async function judgedSets(root, names) {
  const sets = []
  for (const name of names) {
    const folder = join(root, name)
    const records = await readRecords(folder)
    sets.push({
      ids: records.map(({ id }) => id),
      texts: records.map(({ title, text }) => `${title} ${text}`),
      ...(await readQueries(folder)),
    })
  }
  return sets
}
