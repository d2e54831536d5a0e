import type { Reply } from "../../aws-json-server.ts"

/** The operation of a `TableWrite`, which no request can name. */
export const TABLE_WRITE = "TableWrite"

/** The destination of writes. */
export interface Writer {
  /**
   * Runs a write and answers it once it is durable or refused.
   *
   * @param operation the name of a writing operation, or `TABLE_WRITE`
   * @param body JSON
   */
  write(operation: string, body: string): Promise<Reply>
  /** Resolves when earlier writes are answered and the database is closed. Called once. */
  close(): Promise<void>
}
