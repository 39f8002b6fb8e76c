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
}

type Stored = readonly [start: number, page?: number, anchor?: string, heading?: string]

/** As a stored field: JSON, an array a section. */
export function encodeSections(sections: readonly PageSection[]): string {
  const rows: Stored[] = sections.map(({ start, page = 0, anchor = '', heading = '' }) => {
    if (heading !== '') return [start, page, anchor, heading]
    return anchor !== '' ? [start, page, anchor] : [start, page]
  })
  return JSON.stringify(rows)
}

/** The section that a place in the text lies in; undefined before the first one, or where the field is not as written. */
export function sectionAt(stored: string, offset: number): PageSection | undefined {
  let rows: readonly Stored[]
  try {
    rows = JSON.parse(stored) as readonly Stored[]
    let low = 0
    let high = rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (rows[middle]![0] <= offset) low = middle + 1
      else high = middle
    }
    if (low === 0) return undefined
    const [start, page = 0, anchor = '', heading = ''] = rows[low - 1]!
    return {
      start,
      ...(page === 0 ? {} : { page }),
      ...(anchor === '' ? {} : { anchor }),
      ...(heading === '' ? {} : { heading }),
    }
  } catch {
    return undefined
  }
}
