import type { DatabaseSync } from "node:sqlite"

const FOLDER_ID = "folder-id"

/** The id of the data folder that a database belongs to; null when it was never given one. */
export function readFolderId(database: DatabaseSync): string | null {
  const hasMeta = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'").get()
  if (hasMeta === undefined) return null
  const row = database.prepare("SELECT value FROM meta WHERE name = ?").get(FOLDER_ID)
  return typeof row?.value === "string" ? row.value : null
}

/** Gives a database the id of its data folder, durably. An older version ignores the table that holds it. */
export function writeFolderId(database: DatabaseSync, id: string): void {
  database.exec("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT")
  database.prepare("REPLACE INTO meta VALUES (?, ?)").run(FOLDER_ID, id)
}
