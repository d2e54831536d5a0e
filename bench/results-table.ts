import { cpus, totalmem } from "node:os"
import { missesRequirement, type Row } from "./benchmark.ts"

const GIBIBYTE = 2 ** 30

/** Describes the machine of the figures, in one line. */
export function describeMachine(): string {
  const processors = cpus()
  const model = processors[0]?.model.trim() ?? "unknown processor"
  const memoryGib = Math.round(totalmem() / GIBIBYTE)
  const { platform, arch, version } = process
  return `${model}, ${processors.length} cores, ${memoryGib} GiB of memory, ${platform} ${arch}, Node.js ${version}`
}

/** Renders the rows as a Markdown table that is aligned, so that it reads as well in a terminal. */
export function renderTable(rows: readonly Row[]): string {
  const header = ["benchmark", "figure", "unit", "ratio", "required"]
  const cells = rows.map((row) => [
    row.name,
    formatFigure(row.figure),
    row.unit,
    row.ratio === null ? "" : formatFigure(row.ratio),
    row.requiredRatio === null ? "" : `${missesRequirement(row) ? "**missed** " : ""}≥ ${row.requiredRatio}`,
  ])
  const widths = header.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)),
  )
  const isNumeric = (column: number) => column === 1 || column >= 3
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text, column) => (isNumeric(column) ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0))).join(" | ")} |`
  const rule = `|${widths.map((width, column) => (isNumeric(column) ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2))).join("|")}|`
  return [line(header), rule, ...cells.map(line)].join("\n")
}

/** Rounds to three significant digits. */
function formatFigure(figure: number): string {
  const digits = figure >= 100 ? 0 : figure >= 10 ? 1 : 2
  return figure.toFixed(digits)
}
