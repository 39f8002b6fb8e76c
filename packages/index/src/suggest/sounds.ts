/**
 * How Chinese characters are read: syllables of pinyin without tones, by character and the other way round. The readings
 * are pinyin-pro's; they are loaded at the first use, 0.2 s of CPU and some 10 MB.
 */

/** Characters of the block of unified ideographs. */
const FIRST = 0x4e00
const LAST = 0x9fff

/** Readings of Han characters. */
export interface Sounds {
  /** Syllables that a character is read as, the usual one first; none for other characters. */
  readingsOf(point: number): readonly string[]
  /** Characters that are read so, in order. */
  pointsOf(syllable: string): readonly number[]
  /** Characters whose reading, with what is often taken for it ({@link blurred}), is the same, in order. */
  pointsLike(syllable: string): readonly number[]
  /** Characters with a reading that begins with the letter, in order. */
  pointsWithInitial(letter: string): readonly number[]
  readonly syllables: ReadonlySet<string>
}

/** A syllable in which those are one that many speakers and input methods do not tell apart: zh z, ch c, sh s, n l, -ng -n. */
export function blurred(syllable: string): string {
  return syllable
    .replace(/^([zcs])h/, '$1')
    .replace(/^n(?=.)/, 'l')
    .replace(/ng$/, 'n')
}

let loading: Promise<Sounds> | undefined

/** The table of the process. */
export function loadSounds(): Promise<Sounds> {
  loading ??= readSounds()
  return loading
}

async function readSounds(): Promise<Sounds> {
  const { pinyin } = await import('pinyin-pro')
  const readings = new Map<number, readonly string[]>()
  const exact = new Map<string, number[]>()
  const like = new Map<string, number[]>()
  const initials = new Map<string, number[]>()
  for (let point = FIRST; point <= LAST; point++) {
    const all = pinyin(String.fromCodePoint(point), { toneType: 'none', type: 'array', multiple: true, v: true })
    const known = [...new Set(all.filter((syllable) => /^[a-z]+$/.test(syllable)))]
    if (known.length === 0) continue
    readings.set(point, known)
    for (const syllable of known) {
      add(exact, syllable, point)
      add(like, blurred(syllable), point)
      add(initials, syllable[0]!, point)
    }
  }
  return {
    readingsOf: (point) => readings.get(point) ?? [],
    pointsOf: (syllable) => exact.get(syllable) ?? [],
    pointsLike: (syllable) => like.get(blurred(syllable)) ?? [],
    pointsWithInitial: (letter) => initials.get(letter) ?? [],
    syllables: new Set(exact.keys()),
  }
}

function add(map: Map<string, number[]>, key: string, point: number): void {
  const points = map.get(key)
  if (points === undefined) map.set(key, [point])
  else if (points.at(-1) !== point) points.push(point)
}
