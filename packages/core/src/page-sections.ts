/** Parts of a page's text – pages of a PDF, slides, chapters, headings – as they are kept in the index beside the text. */

/** A part; it ends where the next one begins. */
export interface PageSection {
  /** UTF-16 offset in the text. */
  readonly start: number
  /** Number of the page, slide or sheet, from 1. */
  readonly page?: number
  /** Name that an address leads to this part by, without `#`. */
  readonly anchor?: string
  readonly heading?: string
  /** Of the heading, from 1; 7 is a term of a list of definitions. */
  readonly level?: number
}

type Stored = readonly [start: number, page?: number, anchor?: string, heading?: string, level?: number]

/** As a stored field: JSON, an array a section. */
export function encodeSections(sections: readonly PageSection[]): string {
  const rows: Stored[] = sections.map(({ start, page = 0, anchor = '', heading = '', level }) => {
    if (heading !== '')
      return level === undefined ? [start, page, anchor, heading] : [start, page, anchor, heading, level]
    return anchor !== '' ? [start, page, anchor] : [start, page]
  })
  return JSON.stringify(rows)
}

/** The sections of a stored field in order; none where it is not as written. */
export function decodeSections(stored: string): PageSection[] {
  try {
    return (JSON.parse(stored) as readonly Stored[]).map(([start, page = 0, anchor = '', heading = '', level]) => ({
      start,
      ...(page === 0 ? {} : { page }),
      ...(anchor === '' ? {} : { anchor }),
      ...(heading === '' ? {} : { heading }),
      ...(level === undefined ? {} : { level }),
    }))
  } catch {
    return []
  }
}

/** The section that a place in the text lies in; undefined before the first one. */
export function sectionAt(sections: readonly PageSection[], offset: number): PageSection | undefined {
  let low = 0
  let high = sections.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sections[middle]!.start <= offset) low = middle + 1
    else high = middle
  }
  return sections[low - 1]
}
