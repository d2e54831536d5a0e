import type { ByteString } from "./byte-string.ts"
import type { Progress } from "./journal.ts"

/** The destination of finished rows, in order. */
export interface TableSink {
  /** Where to start: later than the beginning after an interruption. */
  readonly start: Progress
  /** The identity of the interrupted input; null when starting from the beginning. */
  readonly expectedInput: string | null
  write(rows: Buffer, failures: ByteString): Promise<void>
  /** Saves how much of the table is done, so that another run can resume there. */
  checkpoint(progress: Progress, input: string): Promise<void>
  finish(): Promise<void>
  /** Leaves what is done for another run, or nothing when nothing is done. */
  close(isBegun: boolean): Promise<void>
}
