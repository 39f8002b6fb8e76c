#!/usr/bin/env node
/** Writes the tables of docs/ that are made from the code: `npm run docs`. With `--check` it only tells what is out of date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { ERROR_CODES } from '@spindle/core'

const pages = new Map([
  [
    'errors.md',
    [
      '# Errors',
      '',
      'Every error that a program or a person meets has a stable code. The message says in one sentence what was wrong,',
      'where, and what to do. In the library the code is `error.code` of a `SpindleError`; in the JSON API it is `error.code`',
      'of the answer. This table is made from `packages/core/src/errors.ts` by `npm run docs`.',
      '',
      '| code | meaning |',
      '|---|---|',
      ...Object.entries(ERROR_CODES)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`),
      '',
    ].join('\n'),
  ],
])

for (const [name, text] of pages) {
  const path = new URL(name, import.meta.url)
  if (process.argv.includes('--check')) {
    if (readFileSync(path, 'utf8') === text) continue
    process.stderr.write(`docs/${name} is out of date: run npm run docs.\n`)
    process.exitCode = 1
  } else writeFileSync(path, text)
}
