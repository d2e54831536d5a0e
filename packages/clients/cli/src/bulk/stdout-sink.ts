import { once } from "node:events"
import type { CliHost } from "../terminal/host.ts"
import type { Output } from "../terminal/output.ts"
import { terminalText } from "../terminal/terminal-text.ts"
import { bytesOf } from "./byte-string.ts"
import { startOfTable } from "./journal.ts"
import type { TableSink } from "./table-sink.ts"

/** Writes rows to standard output and failures to standard error. It cannot resume. */
export function createStdoutSink(
  { stdout, stderr, signal }: CliHost,
  output: Output,
  names: number,
): TableSink {
  return {
    start: startOfTable(names),
    expectedInput: null,
    async write(rows, failures) {
      if (failures !== "") {
        // The progress line is cleared first.
        output.progress("")
        stderr.write(stderr.isTTY === true ? linesForTerminal(bytesOf(failures)) : bytesOf(failures))
      }
      if (rows.length === 0) return
      const hasRoom = stdout.write(stdout.isTTY === true ? linesForTerminal(rows) : rows)
      if (!hasRoom) await once(stdout, "drain", { signal })
    },
    checkpoint: () => Promise.resolve(),
    finish: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

/** Returns lines that cannot control the terminal. */
function linesForTerminal(bytes: Buffer): string {
  return bytes.toString().split("\n").map(terminalText).join("\n")
}
