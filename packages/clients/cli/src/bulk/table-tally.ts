import type { ByteString } from "./byte-string.ts"
import type { ChangedBatch } from "./change-rows.ts"
import type { FailedRow, FailureLines } from "./failure-lines.ts"
import type { Progress } from "./journal.ts"

/** Counts what is done, and joins what to write. */
export class TableTally {
  readonly #failureLines: FailureLines
  #progress: Progress
  #failuresInARow = 0
  #beforeFailures: Progress
  #lastFailed: FailedRow | null = null

  constructor(start: Progress, failureLines: FailureLines) {
    this.#progress = start
    this.#beforeFailures = start
    this.#failureLines = failureLines
  }

  get progress(): Progress {
    return this.#progress
  }

  /** How many rows have failed since the last success. */
  get failuresInARow(): number {
    return this.#failuresInARow
  }

  /** The progress after the last successful row. */
  get beforeFailures(): Progress {
    return this.#beforeFailures
  }

  get lastFailed(): FailedRow | null {
    return this.#lastFailed
  }

  /** Counts bytes that stay unchanged. */
  addPreamble(sizeBytes: number): void {
    const { position, outputBytes } = this.#progress
    this.#progress = {
      ...this.#progress,
      position: position + sizeBytes,
      outputBytes: outputBytes + sizeBytes,
    }
    this.#beforeFailures = this.#progress
  }

  /** @returns the rows and the failures to write */
  add({ parts, found }: ChangedBatch): { readonly rows: Buffer; readonly failures: ByteString } {
    const next = {
      ...this.#progress,
      found: this.#progress.found.map((was, index) => was || found[index] === true),
    }
    const rows: Buffer[] = []
    let failures = ""
    for (const { count, sizeBytes, output, failed } of parts) {
      if (failed !== null && this.#failuresInARow++ === 0) this.#beforeFailures = { ...next }
      next.rows += count
      next.position += sizeBytes
      if (failed === null) {
        this.#failuresInARow = 0
        rows.push(output)
        next.outputBytes += output.length
      } else {
        const header = next.failureBytes === 0 ? this.#failureLines.header : ""
        const line = header + this.#failureLines.line(failed)
        failures += line
        this.#lastFailed = failed
        next.failedRows++
        next.failureBytes += line.length
      }
    }
    this.#progress = next
    const [only] = rows
    return { rows: rows.length === 1 && only !== undefined ? only : Buffer.concat(rows), failures }
  }
}
