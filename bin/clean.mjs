#!/usr/bin/env node
/** Removes what the build made; the data folder is left alone. */
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
for (const name of ['packages/core', 'packages/index', 'packages/crawler', 'packages/server', 'tests']) {
  rmSync(join(root, name, 'dist'), { recursive: true, force: true })
}
rmSync(join(root, 'node_modules', '.spindle-build'), { force: true })
