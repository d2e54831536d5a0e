import type { TableWritten } from "../table/table-database.ts"

/** What became of a write. Messages contain nothing of the record. */
export type WriteReply =
  /** It is durable, or its condition was not met. */
  | { readonly kind: "written"; readonly written: TableWritten }
  /** Its record is none that a table takes. */
  | { readonly kind: "invalid"; readonly message: string }
  /** It failed. It may be in the tables if the writer has died. */
  | { readonly kind: "unavailable"; readonly message: string }

/** The reply to a write that failed. Details go to the operator's log. */
export const FAILED: WriteReply = { kind: "unavailable", message: "The tables cannot be written." }

/** The destination of writes. */
export interface Writer {
  /**
   * Runs a write and answers it once it is durable or refused.
   *
   * @param write a `TableWrite`, as JSON
   */
  write(write: string): Promise<WriteReply>
  /** Resolves when earlier writes are answered and the database is closed. Called once. */
  close(): Promise<void>
}
