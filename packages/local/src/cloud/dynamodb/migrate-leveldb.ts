import { existsSync } from "node:fs"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as z from "zod"
import { syncFolder } from "../write-file-durably.ts"
import { ItemStore, type TableRecord } from "./store/item-store.ts"
import { ensureSchema } from "./store/schema.ts"
import { inTransaction } from "./store/transaction.ts"
import { writeItem } from "./stored-items.ts"
import { parseItem } from "./values/attribute-value.ts"

/** A file in every LevelDB. */
const LEVELDB_FILE = "CURRENT"
/** dynalite's keys: `table~<table>`, and `item-<table>~<key>`. Their values are DynamoDB's own JSON. */
const TABLE_PREFIX = "table~"

const recordSchema = z.object({
  TableName: z.string(),
  KeySchema: z.tuple([
    z.object({ AttributeName: z.string(), KeyType: z.literal("HASH") }),
    z.object({ AttributeName: z.string(), KeyType: z.literal("RANGE") }),
  ]),
  CreationDateTime: z.number(),
})

/** The current and former files of a data folder's tables. */
export interface TableFiles {
  readonly folder: string
  readonly database: string
}

/** True when a folder's tables are still those of Sealway 0.1.0, or were being copied. */
export function hasLevelDb(folder: string): boolean {
  return existsSync(join(folder, LEVELDB_FILE)) || existsSync(`${folder}-migrating`)
}

/**
 * Moves tables of Sealway 0.1.0, which used LevelDB, into a new database. The LevelDB stays beside it, in
 * `dynamodb-leveldb`. An interrupted move starts over.
 *
 * @throws Error when the LevelDB cannot be read, or the copy differs from it; the LevelDB is then unchanged
 */
export async function migrateLevelDb({ folder, database }: TableFiles): Promise<void> {
  const [moving, moved] = [`${folder}-migrating`, `${folder}-leveldb`]
  if (!existsSync(database)) {
    if (!existsSync(moving)) {
      if (!existsSync(join(folder, LEVELDB_FILE))) return
      await renameDurably(folder, moving)
    }
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await copyLevelDb(moving, database)
  }
  if (existsSync(moving)) await renameDurably(moving, moved)
}

/** Into another file first, so that an existing database is always complete. */
async function copyLevelDb(from: string, path: string): Promise<void> {
  const unfinished = `${path}.tmp`
  await rm(unfinished, { force: true })
  await rm(`${unfinished}-journal`, { force: true })
  await (await open(unfinished, "wx", 0o600)).close()
  const database = new DatabaseSync(unfinished)
  try {
    ensureSchema(database)
    await copyRecords(from, new ItemStore(database))
  } finally {
    database.close()
  }
  await syncFile(unfinished)
  await renameDurably(unfinished, path)
}

async function copyRecords(from: string, store: ItemStore): Promise<void> {
  const { Level } = await import("level")
  const level = new Level<string, unknown>(from, { valueEncoding: "json", createIfMissing: false })
  await level.open()
  try {
    const tables = await Array.fromAsync(level.values({ gt: TABLE_PREFIX, lt: `${TABLE_PREFIX}\uffff` }))
    inTransaction(store.database, () => {
      for (const table of tables) store.createTable(parseTable(table))
    })
    for (const table of store.listTables()) await copyItems(level, table, store)
  } finally {
    await level.close()
  }
}

interface LevelValues {
  values(range: { readonly gt: string; readonly lt: string }): AsyncIterable<unknown>
}

async function copyItems(level: LevelValues, table: TableRecord, store: ItemStore): Promise<void> {
  const prefix = `item-${table.name}~`
  let copied = 0
  store.database.exec("BEGIN IMMEDIATE")
  for await (const item of level.values({ gt: prefix, lt: `${prefix}\uffff` })) {
    writeItem(store, table, parseItem(item))
    copied++
  }
  store.database.exec("COMMIT")
  if (store.countItems(table) !== copied)
    throw new Error(`Not every record of the table ${table.name} was copied.`)
}

function parseTable(record: unknown): Omit<TableRecord, "id"> {
  const { TableName, KeySchema, CreationDateTime } = recordSchema.parse(record)
  const [{ AttributeName: partitionKey }, { AttributeName: sortKey }] = KeySchema
  return { name: TableName, partitionKey, sortKey, timeToLive: null, createdAt: Math.floor(CreationDateTime) }
}

async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncFolder(dirname(to))
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
