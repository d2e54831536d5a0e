const GAP = "  "
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const PLAIN = /^[\x20-\x7e]*$/
/** From the first text on that needs it: it loads the data of all languages, which takes 15 ms. */
let segmenter: Intl.Segmenter | undefined

/** Aligns columns. The last one is not padded, so lines wrap like text. */
export function layOut(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell))
  }
  return rows.map((row) =>
    row
      .map((cell, index) => {
        const missing = index === row.length - 1 ? 0 : (widths[index] ?? 0) - widthOf(cell)
        return cell + " ".repeat(missing)
      })
      .join(GAP)
      .trimEnd(),
  )
}

/** Returns how many terminal columns a text takes. */
function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  segmenter ??= new Intl.Segmenter()
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}
