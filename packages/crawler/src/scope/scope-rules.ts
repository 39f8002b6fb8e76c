/**
 * The scope of a crawl: rules asked in order, the first objection decides.
 * A list of rule objects: a further kind of rule is a further class.
 */

import { DOCUMENT_SUFFIXES } from '../documents/sniff-document.js'
import { AddressRanges, type LookUp } from './address-ranges.js'
import { BINARY_SUFFIXES, DepthRule, HostRule, LengthRule, PathRule, SchemeRule, SuffixRule } from './basic-rules.js'
import { CalendarRule } from './calendar-rule.js'
import { FolderRule } from './folder-rule.js'
import { PatternRule } from './pattern-rule.js'
import { hostnameOf } from './registrable-domain.js'
import type { ScopeCandidate, ScopeReason, ScopeRule, ScopeVerdict } from './scope-rule.js'
import { AddressRangeRule, DomainRule, PrefixRule } from './site-rules.js'

/**
 * What the site is: the hosts (name and port) of the start addresses, their registrable domains, their folders, every host, or
 * ranges of IP addresses.
 */
export type SiteScope = 'host' | 'domain' | 'prefix' | 'any' | { readonly ranges: readonly string[] }

/** Settings of the usual scope. */
export interface ScopeOptions {
  /** start addresses */
  readonly seeds: Iterable<string>
  /** what of the seeds is the scope; default `host` */
  readonly site?: SiteScope | undefined
  /** patterns of which an address must fit one ({@link parseUrlPattern}); default none: every address does */
  readonly include?: readonly string[] | undefined
  /** patterns of which an address must fit none */
  readonly exclude?: readonly string[] | undefined
  /** most link steps from a seed; default no limit */
  readonly maxDepth?: number | undefined
  /** file name endings left out, without dot, lower case; default {@link BINARY_SUFFIXES} */
  readonly excludeSuffixes?: Iterable<string> | undefined
  /** false to leave out PDF, Office files and the like, too, by their names; default true */
  readonly documents?: boolean | undefined
  /** most characters of an address; default 2,048 */
  readonly maxUrlLength?: number | undefined
  /** how names are looked up for ranges of addresses; default the system's resolver */
  readonly lookUp?: LookUp | undefined
  /** clock for calendars, milliseconds since 1970; default now */
  readonly now?: number | undefined
}

const IN_SCOPE: ScopeVerdict = Object.freeze({ inScope: true })

/** An ordered list of {@link ScopeRule}s. */
export class ScopeRules {
  readonly #rules: readonly ScopeRule[]
  readonly #fileRules: readonly ScopeRule[]
  readonly #ranges: AddressRanges | undefined
  readonly #verdicts = new Map<ScopeReason, ScopeVerdict>()

  /**
   * @param ranges where hosts must also lie in them
   * @param fileRules for `file:` addresses; default `rules`
   */
  constructor(rules: readonly ScopeRule[], ranges?: AddressRanges, fileRules?: readonly ScopeRule[]) {
    this.#fileRules = fileRules ?? rules
    this.#rules = ranges === undefined ? [...rules] : [...rules, new AddressRangeRule(ranges)]
    this.#ranges = ranges
  }

  /**
   * The usual scope: http and https, the seeds' site, no obvious binaries, bounded depth and length, no endless paths or
   * calendars, and the user's patterns.
   * @throws Error of a pattern that is none
   */
  static fromOptions(options: ScopeOptions): ScopeRules {
    const { site = 'host', maxDepth, include = [], exclude = [] } = options
    const all = [...options.seeds]
    const files = all.filter((seed) => seed.startsWith('file:'))
    const seeds = all.filter((seed) => !seed.startsWith('file:'))
    const limits = [new LengthRule(options.maxUrlLength), new PathRule()]
    const rules: ScopeRule[] = [new SchemeRule(), ...limits]
    if (site === 'host') rules.push(new HostRule(seeds))
    else if (site === 'domain') rules.push(new DomainRule(seeds))
    else if (site === 'prefix') rules.push(new PrefixRule(seeds))
    const usual: ScopeRule[] = []
    if (maxDepth !== undefined) usual.push(new DepthRule(maxDepth))
    usual.push(new SuffixRule(suffixesOf(options)), new CalendarRule(options.now))
    if (include.length + exclude.length > 0) usual.push(new PatternRule(include, exclude))
    const ranges = typeof site === 'object' ? new AddressRanges(site.ranges, options.lookUp) : undefined
    return new ScopeRules([...rules, ...usual], ranges, [new FolderRule(files), ...limits, ...usual])
  }

  /**
   * The rest of the verdict on an address that {@link check} let through, for which a name may have to be looked up: to be
   * asked before it is fetched.
   */
  async checkHost(url: string): Promise<ScopeReason | undefined> {
    if (this.#ranges === undefined) return undefined
    return (await this.#ranges.containsHost(hostnameOf(url))) ? undefined : 'off-range'
  }

  /** True for an address that the user named by a range: it may be in a private network. */
  namesAddress(address: string): boolean {
    return this.#ranges?.contains(address) === true
  }

  check(candidate: ScopeCandidate): ScopeVerdict {
    for (const rule of candidate.url.startsWith('file:') ? this.#fileRules : this.#rules) {
      const reason = rule.check(candidate)
      if (reason !== undefined) return this.#outOfScope(reason)
    }
    return IN_SCOPE
  }

  #outOfScope(reason: ScopeReason): ScopeVerdict {
    let verdict = this.#verdicts.get(reason)
    if (verdict === undefined) {
      verdict = Object.freeze({ inScope: false, reason })
      this.#verdicts.set(reason, verdict)
    }
    return verdict
  }
}

function suffixesOf({ excludeSuffixes = BINARY_SUFFIXES, documents = true }: ScopeOptions): Iterable<string> {
  return documents ? excludeSuffixes : [...excludeSuffixes, ...DOCUMENT_SUFFIXES]
}
