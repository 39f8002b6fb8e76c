/** Sections of docs/analysis.md that a command makes: they stand between comments with their name. */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'

const PAGE = new URL('../../../docs/analysis.md', import.meta.url)
const VERSION = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version

/** Where and when figures were made. */
export function environment(command) {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const date = new Date().toISOString().slice(0, 10)
  return [
    `Made by \`${command}\` on ${date}: Spindle ${VERSION}, Node.js ${process.versions.node}, ${model}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}.`,
  ]
}

/** @param rows cells; all columns but the first and those of text stand to the right */
export function markdownTable(head, rows) {
  const isNumber = head.map((_, i) => i > 0 && rows.every((row) => /^[+−-]?[\d.]*(?: %)?$/.test(row[i])))
  return [
    `| ${head.join(' | ')} |`,
    `|${isNumber.map((number) => (number ? '---:' : '---')).join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ]
}

/** Puts lines between `<!-- name -->` and `<!-- /name -->`. */
export function writeSection(name, lines) {
  const text = readFileSync(PAGE, 'utf8')
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`docs/analysis.md has no section ${name}`)
  writeFileSync(PAGE, `${text.slice(0, from + begin.length)}${lines.join('\n')}\n${text.slice(to)}`)
}
