import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Table, TableDefinition } from "@sealway/ports"
import { onTestFinished } from "vitest"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { openDatabase, type Tables } from "../open-tables.ts"
import { createDatabaseTable } from "../table/database-table.ts"

export const TABLE_NAME = "config"

export const DEFINITION: TableDefinition = {
  name: TABLE_NAME,
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: null,
}

/** The attributes of a record, as they are stored. */
export const keyOf = (sk: string) => ({ pk: { S: "a" }, sk: { S: sk } })

/** A table in a file, or in memory. */
export interface OpenTable {
  readonly database: Tables
  readonly table: Table
  /** Everything reported so far. */
  readonly reports: readonly string[]
  put(sk: string, value?: string): Promise<void>
  /** Returns the value; undefined when there is none. */
  get(sk: string): Promise<unknown>
  close(): Promise<void>
}

/** Returns a path for a database, in a folder that is removed when the test ends. */
export async function databasePath(): Promise<string> {
  const path = join(await temporaryFolder(), "tables.db")
  await writeFile(path, "")
  return path
}

/** Opens a database with one table. It is closed when the test ends. */
export async function openTable(path: string | null): Promise<OpenTable> {
  const reports: string[] = []
  const database = await openDatabase(path, [DEFINITION], (message) => reports.push(message))
  const table = createDatabaseTable(database, TABLE_NAME, Date.now)
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= database.close()
    return closing
  }
  onTestFinished(close)
  return {
    database,
    table,
    reports,
    close,
    put: (sk, value = "") => table.put({ pk: "a", sk }, { value }),
    get: async (sk) => (await table.get({ pk: "a", sk }))?.value,
  }
}
