import type { DatabaseSync } from "node:sqlite"

/** What `work` writes takes effect as a whole, durably once this returns, or not at all when it throws. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("BEGIN IMMEDIATE")
  try {
    const result = work()
    database.exec("COMMIT")
    return result
  } catch (error) {
    // SQLite has done so by itself after some errors, a full disk among them.
    if (database.isTransaction) database.exec("ROLLBACK")
    throw error
  }
}
