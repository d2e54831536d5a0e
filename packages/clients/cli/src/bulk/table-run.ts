import { formatCount, MB } from "@sealway/kernel"
import { EXIT } from "../terminal/exit-codes.ts"
import { CommandFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Output } from "../terminal/output.ts"
import { bytesOf } from "./byte-string.ts"
import { changeRows } from "./change-rows.ts"
import type { FailedRow, FailureLines } from "./failure-lines.ts"
import type { Progress } from "./journal.ts"
import { mapInOrder } from "./map-in-order.ts"
import { countRows, progressLine } from "./progress-line.ts"
import type { ChangeValues } from "./table-command.ts"
import type { TableInput } from "./table-input.ts"
import type { TableFormat } from "./table-row.ts"
import type { TableSink } from "./table-sink.ts"
import { TableTally } from "./table-tally.ts"

/** Far below every endpoint's limit, so that the larger tokens can come back too. */
const MAX_BATCH_VALUES = 5_000
const MAX_BATCH_BYTES = MB
/** How many batches are read ahead per concurrent request, so that fast ones do not wait for a slow one. */
const WINDOW_PER_REQUEST = 2
const CHECKPOINT_EVERY_MS = 1_000
const PROGRESS_EVERY_MS = 200
/** This many consecutive failures only occur when the key, the policies or the column are wrong. */
const MAX_FAILURES_IN_A_ROW = 1_000

export interface TableParts {
  readonly input: TableInput
  readonly format: TableFormat
  readonly sink: TableSink
  readonly change: ChangeValues
  readonly failureLines: FailureLines
}

export interface TableRunOptions {
  readonly concurrency: number
  /** Rows per request. */
  readonly maxRows: number
  /** Whether to continue after any number of consecutive failures. */
  readonly keepsGoing: boolean
}

/** One run over a table, from the sink's start to the end or an interruption. */
export class TableRun {
  readonly #host: CliHost
  readonly #output: Output
  readonly #parts: TableParts
  readonly #options: TableRunOptions
  readonly #tally: TableTally
  readonly #beganAtMs: number
  #checkpointAtMs: number
  #progressAtMs = 0
  #progress: Progress
  /** The last one started; rejects when it failed. */
  #checkpoint: Promise<void> = Promise.resolve()
  #isCheckpointRunning = false
  #hasWritten = false
  #isFinished = false

  constructor(host: CliHost, output: Output, parts: TableParts, options: TableRunOptions) {
    this.#host = host
    this.#output = output
    this.#parts = parts
    this.#options = options
    this.#progress = parts.sink.start
    this.#tally = new TableTally(parts.sink.start, parts.failureLines)
    this.#beganAtMs = host.wallClock()
    this.#checkpointAtMs = this.#beganAtMs
  }

  /** What is written, and where another run starts. */
  get progress(): Progress {
    return this.#progress
  }

  get isFinished(): boolean {
    return this.#isFinished
  }

  async toEnd(): Promise<Progress> {
    const { sink } = this.#parts
    try {
      await this.#begin()
      await this.#changeAll()
      await this.#checkpoint
      await sink.finish()
      this.#isFinished = true
      return this.#progress
    } finally {
      // When the disk is full, the previous checkpoint counts.
      await this.#checkpoint.catch(() => undefined)
      if (this.#hasWritten && !this.#isFinished) await this.#keepProgress().catch(() => undefined)
      await sink.close(this.#isFinished || this.#progress.rows > 0)
    }
  }

  async #begin(): Promise<void> {
    const { sink, format, input } = this.#parts
    const { rows, position } = sink.start
    await sink.checkpoint(sink.start, sink.expectedInput ?? input.identityAt(position))
    if (rows > 0) this.#output.note(`Resuming after ${countRows(rows)}.`)
    if (position > 0 || format.preamble === "") return
    await sink.write(bytesOf(format.preamble), "")
    this.#tally.addPreamble(format.preamble.length)
    this.#progress = this.#tally.progress
  }

  async #changeAll(): Promise<void> {
    const { input, format, sink, change } = this.#parts
    const { concurrency, maxRows, keepsGoing } = this.#options
    const { position, rows } = this.#progress
    const chunks = input.chunks(position, sink.expectedInput)
    const limits = {
      maxRows,
      maxValues: MAX_BATCH_VALUES,
      maxValueBytes: MAX_BATCH_BYTES,
      maxRowBytes: MAX_BATCH_BYTES,
    }
    const batches = format.readRows(chunks, rows, limits)
    const window = concurrency * WINDOW_PER_REQUEST
    const changed = mapInOrder(batches, { concurrency, window }, (batch) => changeRows(batch, format, change))
    for await (const batch of changed) {
      const written = this.#tally.add(batch)
      await sink.write(written.rows, written.failures)
      this.#progress = this.#tally.progress
      this.#hasWritten = true
      this.#showProgress()
      if (this.#tally.failuresInARow >= MAX_FAILURES_IN_A_ROW && !keepsGoing) throw this.#tooManyFailures()
      if (this.#isCheckpointRunning) continue
      // The last one. This waits for nothing.
      await this.#checkpoint
      if (this.#host.wallClock() - this.#checkpointAtMs >= CHECKPOINT_EVERY_MS) this.#beginCheckpoint()
    }
  }

  /** Rows are still written while the disk syncs earlier ones: it may be slower than the service. */
  #beginCheckpoint(): void {
    this.#isCheckpointRunning = true
    this.#checkpoint = this.#keepProgress().finally(() => {
      this.#isCheckpointRunning = false
      this.#checkpointAtMs = this.#host.wallClock()
    })
    // The error is thrown where it is awaited.
    this.#checkpoint.catch(() => undefined)
  }

  async #keepProgress(): Promise<void> {
    const { sink, input } = this.#parts
    await sink.checkpoint(this.#progress, input.identityAt(this.#progress.position))
  }

  /** The next run tries the failed rows again, because the reason may be gone by then. */
  #tooManyFailures(): CommandFailure {
    this.#progress = this.#tally.beforeFailures
    const { failuresInARow, lastFailed } = this.#tally
    return new CommandFailure(
      "too-many-failures",
      `${formatCount(failuresInARow)} consecutive rows have failed. Check the key, the policies and the column, or pass --keep-going.`,
      EXIT.failed,
      { details: lastFailed === null ? [] : [describeFailure(lastFailed)] },
    )
  }

  #showProgress(): void {
    const nowMs = this.#host.wallClock()
    if (nowMs - this.#progressAtMs < PROGRESS_EVERY_MS) return
    this.#progressAtMs = nowMs
    const { start } = this.#parts.sink
    const { sizeBytes } = this.#parts.input
    const { rows, failedRows, position } = this.#progress
    const line = progressLine({
      rows,
      failedRows,
      rowsOfRun: rows - start.rows,
      bytesOfRun: position - start.position,
      elapsedMs: nowMs - this.#beganAtMs,
      bytesLeft: sizeBytes === null ? null : Math.max(0, sizeBytes - position),
    })
    this.#output.progress(line)
  }
}

function describeFailure({ number, name, code, reason }: FailedRow): string {
  return `Row ${formatCount(number)}${name === null ? "" : `, ${name}`}: ${code}: ${reason}`
}
