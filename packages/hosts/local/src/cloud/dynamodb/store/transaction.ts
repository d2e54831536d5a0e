import type { DatabaseSync } from "node:sqlite"

/** Runs `work` in a transaction: its writes are durable once this returns, and have no effect if it throws. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("BEGIN IMMEDIATE")
  try {
    const result = work()
    database.exec("COMMIT")
    return result
  } catch (error) {
    // SQLite has already rolled back after some errors, such as a full disk.
    if (database.isTransaction) database.exec("ROLLBACK")
    throw error
  }
}
