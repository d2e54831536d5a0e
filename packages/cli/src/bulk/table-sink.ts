import type { ByteString } from "./byte-string.ts"
import type { Progress } from "./journal.ts"

/** Where rows go when they are done, in order. */
export interface TableSink {
  /** Where to begin: further than the start after an interruption. */
  readonly start: Progress
  /** What the input was told by when it was interrupted; null when the start is that of the table. */
  readonly expectedInput: string | null
  write(rows: Buffer, failures: ByteString): Promise<void>
  /** Keeps how far the table is done, so that another run can go on from there. */
  checkpoint(progress: Progress, input: string): Promise<void>
  finish(): Promise<void>
  /** Leaves what is done for another run, or nothing when nothing is done. */
  close(isBegun: boolean): Promise<void>
}
