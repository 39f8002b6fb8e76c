/** Defaults for kinds of sites. Whatever the configuration file, the environment or a flag says wins over them. */
import type { OptionTable } from '@spindle/core'

const MINUTE_MS = 60_000

const PRESETS = {
  /**
   * Start pages, lists and articles; what is new is asked for each time the command is given. Half of the usual ten minutes, for a
   * page that was asked for late in one run is due in the next all the same.
   */
  news: { depth: 2, sitemaps: 'all', recrawl: true, olderThan: 5 * MINUTE_MS },
} as const

/** Name of a preset. */
export type PresetName = keyof typeof PRESETS

export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[]

/** The options with the defaults of a preset. */
export function withPreset<C>(options: OptionTable<C>, preset: PresetName | undefined): OptionTable<C> {
  if (preset === undefined) return options
  const changed = Object.entries(PRESETS[preset]).map(([name, value]) => {
    return [name, { ...options[name as keyof C], default: value }] as const
  })
  return { ...options, ...Object.fromEntries(changed) }
}
