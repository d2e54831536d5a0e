import { DatabaseSync } from "node:sqlite"

/** Only this process opens the database, so it only ever waits for its own other connection. */
export const BUSY_TIMEOUT_MS = 5_000

/** Opens a read-only connection. The writing one must be open. */
export function openForReading(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
}

/** Whether SQLite's own structures are intact. Reads everything. */
export function isSound(database: DatabaseSync): boolean {
  return database.prepare("PRAGMA quick_check(1)").get()?.quick_check === "ok"
}
