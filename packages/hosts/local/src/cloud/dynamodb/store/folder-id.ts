import type { DatabaseSync } from "node:sqlite"

const FOLDER_ID = "folder-id"

/** Reads the id of the data folder that a database belongs to; null when it never got one. */
export function readFolderId(database: DatabaseSync): string | null {
  const hasMeta = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'").get()
  if (hasMeta === undefined) return null
  const row = database.prepare("SELECT value FROM meta WHERE name = ?").get(FOLDER_ID)
  return typeof row?.value === "string" ? row.value : null
}

/** Writes the id of its data folder into a database, durably. */
export function writeFolderId(database: DatabaseSync, id: string): void {
  database.exec("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT")
  database.prepare("REPLACE INTO meta VALUES (?, ?)").run(FOLDER_ID, id)
}
