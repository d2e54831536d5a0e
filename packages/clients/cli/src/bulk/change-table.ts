import { createHash } from "node:crypto"
import { once } from "node:events"
import { fstatSync, type Stats } from "node:fs"
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { formatCount } from "@sealway/kernel"
import type { Session } from "../session/session.ts"
import { requireKey, requireUrl } from "../session/settings.ts"
import { EXIT, type ExitCode } from "../terminal/exit-codes.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson } from "../terminal/format.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Output } from "../terminal/output.ts"
import { terminalText } from "../terminal/terminal-text.ts"
import { boundGarbage } from "./bound-garbage.ts"
import { bytesOf } from "./byte-string.ts"
import { CSV_FAILURES, NDJSON_FAILURES } from "./failure-lines.ts"
import { failuresPathOf, filesOf, openFileSink } from "./file-sink.ts"
import { type Progress, startOfTable } from "./journal.ts"
import { openFormat } from "./open-format.ts"
import { countRows } from "./progress-line.ts"
import { createChange, type TableCommand } from "./table-command.ts"
import { openTableInput } from "./table-input.ts"
import type { TableOptions } from "./table-options.ts"
import { type TableFormat, UnreadableTableError } from "./table-row.ts"
import { TableRun } from "./table-run.ts"
import type { TableSink } from "./table-sink.ts"

/** One value per request: larger batches would only wait for each other. */
const FINGERPRINT_BATCH_ROWS = 16

export interface TableFiles {
  /** Undefined, or `-`: standard input. */
  readonly input: string | undefined
  /** Undefined, or `-`: standard output. */
  readonly output: string | undefined
}

/**
 * Replaces the selected values of a table, row by row and in order, in memory that does not grow with the table. With
 * an output file, the same command resumes an interrupted run.
 *
 * @returns the exit status: 1 when a row failed
 */
export async function changeTable(
  session: Session,
  command: TableCommand,
  options: TableOptions,
  files: TableFiles,
): Promise<ExitCode> {
  boundGarbage()
  const { host, output } = session
  const service = await session.asApp()
  const settings = await session.settings()
  const key = requireKey(settings, "api-key")
  const input = await openTableInput(host, files.input ?? "-", key)
  const format = await openFormat(input, options)
  const target = files.output === undefined || files.output === "-" ? null : files.output
  if (target !== null) await refuseOwnFiles(host, files.input, target)
  const sink =
    target === null
      ? createStdoutSink(host, output, format.names.length)
      : await openFileSink({
          name: target,
          path: resolve(host.folder, target),
          command: digestOf([
            command,
            options.selection,
            options.delimiter,
            requireUrl(settings),
            // If only the key determines the app, a different key may be another app's.
            settings.app?.value ?? key,
          ]),
          names: format.names.length,
          restarts: options.restarts,
          userId: host.userId,
        })
  const stop = new AbortController()
  const signal = AbortSignal.any([host.signal, stop.signal])
  const change = createChange(command, service, host, signal)
  const { concurrency, keepsGoing } = options
  const maxRows = command.kind === "fingerprint" ? FINGERPRINT_BATCH_ROWS : options.batchRows
  const failureLines = "columns" in options.selection ? CSV_FAILURES : NDJSON_FAILURES
  const parts = { input, format, sink, change, failureLines }
  const run = new TableRun(host, output, parts, { concurrency, keepsGoing, maxRows })
  try {
    return report(session, await run.toEnd(), format, target)
  } catch (error) {
    throw failureOf(error, files.input ?? "standard input")
  } finally {
    stop.abort()
    if (target !== null && !run.isFinished && run.progress.rows > 0) {
      output.note(`Stopped after ${countRows(run.progress.rows)}. Run the same command again to resume.`)
    }
  }
}

function report(
  { output }: Session,
  { rows, failedRows, found }: Progress,
  { names, mustFindAll }: TableFormat,
  target: string | null,
): ExitCode {
  const missing = mustFindAll && rows > 0 ? names.filter((_, index) => found[index] !== true) : []
  const failures = failedRows === 0 ? null : target === null ? "standard error" : failuresPathOf(target)
  if (output.mode === "json" && target !== null) {
    output.json(formatJson({ rows, failedRows, ...(failures !== null && { failures }), missing }))
  }
  for (const name of missing) output.note(`No row has a value for ${name}.`)
  const where = failures === null ? "" : `, ${formatCount(failedRows)} failed: see ${failures}`
  output.note(`${countRows(rows)}${where}`)
  return failedRows > 0 || missing.length > 0 ? EXIT.failed : EXIT.ok
}

/** Refuses an input that is one of the output's files: failed rows would be lost with it, and it could be removed. */
async function refuseOwnFiles(host: CliHost, input: string | undefined, output: string): Promise<void> {
  const { folder, stdin } = host
  const isStdin = input === undefined || input === "-"
  const read = isStdin ? statOfStream(stdin) : await statOrNull(resolve(folder, input))
  if (read === null) return
  for (const [index, path] of filesOf(resolve(folder, output)).entries()) {
    const written = await statOrNull(path)
    if (written === null || written.ino !== read.ino || written.dev !== read.dev) continue
    throw new UsageFailure(
      index === 0
        ? "The output must not be the input: rows that fail would be lost."
        : "The input has the same name as a file that is written next to the output. Choose another output.",
    )
  }
}

/** Returns the file that a shell opened with `<`; null for a stream that is not a file. */
function statOfStream(stream: CliHost["stdin"]): Stats | null {
  if (!("fd" in stream) || typeof stream.fd !== "number") return null
  const found = fstatSync(stream.fd)
  return found.isFile() ? found : null
}

const statOrNull = (path: string) => stat(path).catch(() => null)

function failureOf(error: unknown, input: string): unknown {
  if (!(error instanceof UnreadableTableError)) return error
  const row = formatCount(error.rowNumber)
  return new UsageFailure(`Row ${row} of ${input} cannot be read. ${error.message}`, { cause: error })
}

function digestOf(command: unknown): string {
  return createHash("sha256").update(JSON.stringify(command)).digest("base64url")
}

/** Writes rows to standard output and failures to standard error. It cannot resume. */
function createStdoutSink({ stdout, stderr, signal }: CliHost, output: Output, names: number): TableSink {
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
