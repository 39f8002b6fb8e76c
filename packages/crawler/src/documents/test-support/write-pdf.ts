/** Writes small PDF files whose every byte is known. */

/** What to write. */
export interface PdfText {
  /** lines of each page, as hexadecimal codes of the encoding */
  readonly pages: readonly (string | readonly string[])[]
  /** name of a CMap for a font that is not embedded; default a Latin font */
  readonly encoding?: string
  /** character collection of Adobe that the CMap leads to */
  readonly ordering?: string
}

/** A PDF 1.4 file of the given pages. */
export function pdfOf({ pages, encoding, ordering = 'GB1' }: PdfText): Buffer {
  const objects: string[] = []
  const kids = pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')
  objects.push('<< /Type /Catalog /Pages 2 0 R >>')
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`)
  objects.push(encoding === undefined ? '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>' : '')
  for (const [i, lines] of pages.entries()) {
    const shown = [lines].flat().map((line) => `<${line}> Tj T*`)
    const content = `BT /F1 12 Tf 72 720 Td 14 TL ${shown.join(' ')} ET`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    )
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
  }
  if (encoding !== undefined) {
    const descendant = objects.length + 1
    objects[2] = `<< /Type /Font /Subtype /Type0 /BaseFont /SimSun /Encoding /${encoding} /DescendantFonts [${descendant} 0 R] >>`
    objects.push(
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /SimSun /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /FontDescriptor ${descendant + 1} 0 R /DW 1000 >>`,
    )
    objects.push(
      '<< /Type /FontDescriptor /FontName /SimSun /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>',
    )
  }
  return pdfFile(objects)
}

/** A file of the given objects, numbered from 1, the first of which is the catalog. */
export function pdfFile(objects: readonly string[]): Buffer {
  let file = '%PDF-1.4\n'
  const offsets: number[] = []
  for (const [i, object] of objects.entries()) {
    offsets.push(file.length)
    file += `${i + 1} 0 obj\n${object}\nendobj\n`
  }
  const xref = file.length
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`
  for (const offset of offsets) file += `${String(offset).padStart(10, '0')} 00000 n \n`
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}
