/** What a test needs from the machine: where it is not there, the test is skipped by name, or fails with CI=true. */
import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './spindle-process.js'

/** Options of a tap subtest that needs something: `{}` where it is there. */
export function needs(what: string, present: boolean): { skip?: string } {
  if (present) return {}
  if (process.env.CI === 'true')
    throw new Error(`${what} is not there, and with CI=true nothing may be skipped for that`)
  return { skip: `${what} is not there` }
}

/** Path of Chromium, or undefined. */
export function chromiumPath(): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(':')) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      const path = join(folder, name)
      try {
        accessSync(path, constants.X_OK)
        return path
      } catch {
        // Not here: look on.
      }
    }
  }
  return undefined
}

/** Folder of a real site from a documentation package, unpacked below SPINDLE_TEST_SITES or installed, or undefined. */
export function siteFolder(packageName: string, path: string): string | undefined {
  const roots = [join(process.env.SPINDLE_TEST_SITES ?? join(projectRoot, '.cache/sites'), packageName), '/']
  return roots.map((root) => join(root, path)).find((folder) => existsSync(folder))
}
