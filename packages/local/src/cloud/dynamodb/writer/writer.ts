import type { Reply } from "../reply.ts"

/** Where writes go. */
export interface Writer {
  /**
   * Does a write and answers it, durably done or refused.
   *
   * @param operation the name of one that writes
   * @param body JSON
   */
  write(operation: string, body: string): Promise<Reply>
  /** Resolves when the writes before it are answered and the database is closed. Called once. */
  close(): Promise<void>
}
