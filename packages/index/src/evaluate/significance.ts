/**
 * Whether two runs differ by more than chance, from their values for the same queries: small sets of queries move by some
 * hundredths for nothing. Both tests are two-sided (Smucker, Allan and Carterette 2007 compare them for retrieval).
 */

/** Result of a paired test. */
export interface PairedTest {
  /** Mean of `b − a`. */
  readonly difference: number
  /** Probability of a difference at least as large where there is none in truth; 1 where all pairs are equal. */
  readonly p: number
}

/** Settings of {@link randomizationTest}. */
export interface RandomizationOptions {
  /** Random assignments that are tried; 100,000 where not given. Up to 16 unequal pairs, all assignments are. */
  readonly rounds?: number
  /** 32 bits; the same seed gives the same p. */
  readonly seed?: number
}

const DEFAULT_ROUNDS = 100_000
const DEFAULT_SEED = 20_070_101
/** Unequal pairs of which all assignments are tried. */
const MAX_EXACT = 16
/** Sums that differ by less are equal: they are sums of the same numbers in another order. */
const ROUNDING = 1e-12

/**
 * Fisher's randomization test: how often a difference of this size arises where each pair is swapped by a coin.
 * @throws RangeError where there are not as many values of one as of the other, or none
 */
export function randomizationTest(
  a: Float64Array,
  b: Float64Array,
  { rounds = DEFAULT_ROUNDS, seed = DEFAULT_SEED }: RandomizationOptions = {},
): PairedTest {
  const differences = pairedDifferences(a, b)
  // A pair of equal values is the same whichever way it is taken.
  const unequal = differences.filter((value) => value !== 0)
  const sum = Math.abs(unequal.reduce((all, value) => all + value, 0))
  const difference = sumOf(differences) / differences.length
  if (unequal.length === 0) return { difference, p: 1 }
  const limit = sum - ROUNDING * unequal.length
  if (unequal.length <= MAX_EXACT) {
    let extreme = 0
    const assignments = 2 ** unequal.length
    for (let signs = 0; signs < assignments; signs++) {
      if (Math.abs(signedSum(unequal, 0, signs)) >= limit) extreme++
    }
    return { difference, p: extreme / assignments }
  }
  const random = xorshift(seed)
  let extreme = 0
  for (let round = 0; round < rounds; round++) {
    let total = 0
    for (let i = 0; i < unequal.length; i += 32) total += signedSum(unequal, i, random())
    if (Math.abs(total) >= limit) extreme++
  }
  // What was observed is one of the assignments, so that p is never 0 (Davison and Hinkley 1997, (4.11)).
  return { difference, p: (extreme + 1) / (rounds + 1) }
}

/**
 * Student's paired t-test, which takes the differences for normally distributed.
 * @throws RangeError as {@link randomizationTest}
 */
export function pairedTTest(a: Float64Array, b: Float64Array): PairedTest {
  const differences = pairedDifferences(a, b)
  const n = differences.length
  const difference = sumOf(differences) / n
  const variance = differences.reduce((all, value) => all + (value - difference) ** 2, 0) / (n - 1)
  if (n === 1) return { difference, p: 1 }
  if (variance === 0) return { difference, p: difference === 0 ? 1 : 0 }
  const t = difference / Math.sqrt(variance / n)
  const freedom = n - 1
  return { difference, p: incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t)) }
}

function pairedDifferences(a: Float64Array, b: Float64Array): Float64Array {
  if (a.length !== b.length || a.length === 0) {
    throw new RangeError(`A paired test needs as many values of one as of the other, not ${a.length} and ${b.length}.`)
  }
  return b.map((value, i) => value - a[i]!)
}

function sumOf(values: Float64Array): number {
  return values.reduce((all, value) => all + value, 0)
}

/** Sum of up to 32 values from one on, those with a bit set taken negative. */
function signedSum(values: Float64Array, from: number, signs: number): number {
  const count = Math.min(32, values.length - from)
  let sum = 0
  for (let i = 0; i < count; i++) sum += ((signs >>> i) & 1) === 0 ? values[from + i]! : -values[from + i]!
  return sum
}

/** 32 random bits at a time: Marsaglia's xorshift128. */
function xorshift(seed: number): () => number {
  let x = seed | 0 || 1
  let y = 362_436_069
  let z = 521_288_629
  let w = 88_675_123
  return () => {
    const t = x ^ (x << 11)
    x = y
    y = z
    z = w
    w = w ^ (w >>> 19) ^ t ^ (t >>> 8)
    return w
  }
}

/** Terms of the continued fraction; it has converged after some dozens. */
const MAX_TERMS = 500
const TINY = 1e-300

/** The regularized incomplete beta function I_x(a, b), by Lentz's continued fraction (DLMF 8.17.22). */
function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  // The fraction converges fast on one side of the mean only; the other is its mirror.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x)
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b)) / a
  let c = 1
  let d = 0
  let fraction = 1
  for (let i = 0; i <= MAX_TERMS; i++) {
    const m = Math.floor(i / 2)
    let term = 1
    if (i > 0) {
      term =
        i % 2 === 0
          ? (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
          : (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    }
    d = 1 / nonZero(1 + term * d)
    c = nonZero(1 + term / c)
    const step = c * d
    fraction *= step
    if (Math.abs(step - 1) < 1e-15) break
  }
  return front * (fraction - 1)
}

function nonZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

/** ln Γ(x) for x ≥ .5, by Lanczos' approximation with g = 7, n = 9. */
function logGamma(x: number): number {
  let sum = 0.99999999999980993
  LANCZOS.forEach((coefficient, i) => {
    sum += coefficient / (x + i)
  })
  const t = x + 6.5
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum)
}
