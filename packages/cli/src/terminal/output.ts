import type { CliHost } from "./host.ts"
import { layOut } from "./table-layout.ts"
import { terminalJson, terminalText } from "./terminal-text.ts"

/** How a member of a record is shown. */
export interface Column<Row> {
  readonly title: string
  value(row: Row): string
}

/** How the caller wants results: for people, as JSON, or only what the next command needs. */
export type OutputMode = "text" | "json" | "quiet"

/**
 * Results go to standard output, everything else to standard error. On a terminal, text is aligned and has titles;
 * elsewhere it is one record a line, members separated by tabs, for `cut` and `while read`.
 */
export interface Output {
  readonly mode: OutputMode
  /** A line of text, as it is but for control characters. */
  line(text: string): void
  /** JSON as the service or a command made it. */
  json(json: string): void
  rows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void
  /** One record as a line, members separated by tabs, on a terminal too: others follow when they come. */
  row<Row>(columns: readonly Column<Row>[], row: Row): void
  /** One record, a member a line. */
  record<Row>(columns: readonly Column<Row>[], row: Row): void
  /** For people, on standard error. Silent under `--quiet` and `--json`. */
  note(text: string): void
  /** A note for who reads the results on a terminal; scripts need none. */
  hint(text: string): void
  /** How far long work is: one line that is overwritten, on a terminal only. */
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
    row: (columns, row) => write(columns.map(({ value }) => terminalText(value(row))).join("\t")),
    rows(columns, rows) {
      const cells = rows.map((row) => columns.map(({ value }) => terminalText(value(row))))
      if (!isTerminal) for (const row of cells) write(row.join("\t"))
      else if (cells.length > 0) {
        const titled = [columns.map(({ title }) => title.toUpperCase()), ...cells]
        for (const line of layOut(titled)) write(line)
      }
    },
    record(columns, row) {
      const cells = columns.map(({ title, value }) => [title, terminalText(value(row))])
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
