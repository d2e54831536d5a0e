/**
 * Renders a Markdown table that is aligned, so that it reads as well in a terminal. All columns but those named are
 * numbers.
 */
export function markdownTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  textColumns: ReadonlySet<number> = new Set([0]),
): string {
  const lines = [titles, ...rows]
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const pad = (text: string, column: number) =>
    textColumns.has(column) ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  const line = (texts: readonly string[]) => `| ${texts.map(pad).join(" | ")} |`
  const rule = widths.map((width, column) =>
    textColumns.has(column) ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`,
  )
  return [line(titles), `|${rule.join("|")}|`, ...rows.map(line)].join("\n")
}

/** Rounds to three significant digits; an empty text for nothing. */
export function figure(value: number): string {
  if (value === 0) return "0"
  if (value < 0.001) return "< 0.001"
  if (value >= 1000) return Math.round(value).toLocaleString("en-US")
  return String(Number(value.toPrecision(3)))
}

export function dollars(value: number): string {
  return value.toFixed(2)
}
