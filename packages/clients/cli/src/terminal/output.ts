import { UnavailableFailure } from "./failures.ts"
import type { CliHost } from "./host.ts"
import { layOut } from "./table-layout.ts"
import { terminalJson, terminalText } from "./terminal-text.ts"

/** How a field of a record is shown. */
export interface Column<Row> {
  readonly title: string
  value(row: Row): string
}

/** The requested output: for people, as JSON, or only what the next command needs. */
export type OutputMode = "text" | "json" | "quiet"

/**
 * Writes results to standard output, everything else to standard error. On a terminal, text is aligned and has titles;
 * elsewhere it is one record per line, fields separated by tabs, for `cut` and `while read`.
 */
export interface Output {
  readonly mode: OutputMode
  /** Writes a line of text unchanged, except control characters. */
  line(text: string): void
  /** Writes JSON from the service or a command. */
  json(json: string): void
  rows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void
  /** Writes one record as a line, fields separated by tabs, on a terminal too: more may follow later. */
  row<Row>(columns: readonly Column<Row>[], row: Row): void
  /** Writes one record, one field per line. */
  record<Row>(columns: readonly Column<Row>[], row: Row): void
  /** Writes for people, to standard error. Silent with `--quiet` and `--json`. */
  note(text: string): void
  /** Writes a note for readers on a terminal; scripts need none. */
  hint(text: string): void
  /** Shows the progress of long work: one line that is overwritten, on a terminal only. */
  progress(text: string): void
}

export function createOutput({ stdout, stderr, env }: CliHost, mode: OutputMode): Output {
  const isTerminal = stdout.isTTY === true
  const showsProgress = mode === "text" && stderr.isTTY === true && env.TERM !== "dumb"
  let hasProgress = false
  const clearProgress = () => {
    if (hasProgress) stderr.write("\r\u001b[K")
    hasProgress = false
  }
  const write = (text: string) => {
    clearProgress()
    stdout.write(`${text}\n`)
  }
  const output: Output = {
    mode,
    line: (text) => write(terminalText(text)),
    json: (json) => write(terminalJson(json)),
    row: (columns, row) => write(cellsOf(columns, row).join("\t")),
    rows(columns, rows) {
      const cells = rows.map((row) => cellsOf(columns, row))
      if (!isTerminal) for (const row of cells) write(row.join("\t"))
      else if (cells.length > 0) {
        const titled = [columns.map(({ title }) => title.toUpperCase()), ...cells]
        for (const line of layOut(titled)) write(line)
      }
    },
    record(columns, row) {
      const values = cellsOf(columns, row)
      const cells = columns.map(({ title }, index) => [title, values[index] ?? ""])
      for (const line of isTerminal ? layOut(cells) : cells.map((pair) => pair.join("\t"))) write(line)
    },
    note(text) {
      clearProgress()
      if (mode === "text") stderr.write(`${terminalText(text)}\n`)
    },
    hint(text) {
      if (isTerminal) output.note(text)
    },
    progress(text) {
      if (!showsProgress) return
      stderr.write(`\r\u001b[K${terminalText(text)}`)
      hasProgress = true
    },
  }
  return output
}

/** @throws UnavailableFailure when the row, which the service has sent, is not what its columns show */
function cellsOf<Row>(columns: readonly Column<Row>[], row: Row): string[] {
  try {
    return columns.map(({ value }) => terminalText(value(row)))
  } catch (error) {
    throw new UnavailableFailure(
      "This version of the command line does not understand the service's response. Update it.",
      { cause: error },
    )
  }
}
