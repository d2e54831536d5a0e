import { existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { TABLES, type TableDefinition } from "@sealway/ports"

/** Returns the tables, for an embedded cloud over a data folder that must keep what has expired since. */
export async function withoutExpiry(dataFolder: string): Promise<readonly TableDefinition[]> {
  const path = join(dataFolder, "dynamodb", "tables.db")
  if (existsSync(path)) {
    const database = new DatabaseSync(path)
    database.exec("UPDATE tables SET time_to_live = NULL")
    database.close()
  }
  return TABLES.map((table) => ({ ...table, timeToLiveAttribute: null }))
}
