/** The fingerprint of an analyzer: a short hash of everything that decides its tokens. Costs microseconds. */
import { createHash } from 'node:crypto'
import type { AnalyzerSettings } from './analyzer.js'

/**
 * @param name registry name of the analyzer
 * @param settings its settings; the order of keys does not matter
 * @param version number that its code raises whenever the tokens of some text change
 * @param data checksums of the dictionaries that it reads
 * @returns 16 hexadecimal digits
 */
export function fingerprint(
  name: string,
  settings: AnalyzerSettings,
  version: number,
  data: readonly (string | number)[] = [],
): string {
  const keys = Object.keys(settings).sort()
  const description = JSON.stringify([name, keys.map((key) => [key, settings[key]]), version, data])
  return createHash('sha256').update(description).digest('hex').slice(0, 16)
}
