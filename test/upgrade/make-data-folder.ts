/**
 * Makes a data folder with a record of every kind, and writes it as a zip. Run once for each release, with that release,
 * because every later one must read it:
 *
 *     node scripts/run.mjs test/upgrade/make-data-folder.ts test/upgrade/data-folder-0.1.0.zip
 *
 * The zip holds the folder of a process that was killed (`data/`), and what the service answered before (`expected.json`).
 */
import { cp, readdir, readFile, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as delay } from "node:timers/promises"
import { startEmbeddedCloud } from "@sealway/local"
import { zipSync } from "fflate"
import { startReady, withFolder } from "../support/start.ts"
import { callerOf } from "./call.ts"
import { type ExpectedAnswers, type Item, parseItem } from "./expected.ts"
import { fill, handOut, record } from "./fill-data-folder.ts"
import { startReceiver } from "./receiver.ts"
import { withoutExpiry } from "./without-expiry.ts"

/** What is written in the background, such as access records and activity, is on disk by then. */
const SETTLED_MS = 8_000

const [target = ""] = process.argv.slice(2)

/** Returns the keys of all items, which no operation of a table lists. */
function keysIn(dataFolder: string): { readonly table: string; readonly pk: string; readonly sk: string }[] {
  const database = new DatabaseSync(join(dataFolder, "dynamodb", "tables.db"))
  try {
    const rows = database
      .prepare(
        "SELECT name, partition, sort FROM items JOIN tables ON id = table_id ORDER BY name, partition, sort",
      )
      .all()
    const text = (value: unknown) => Buffer.from(value instanceof Uint8Array ? value : []).toString()
    return rows.map(({ name, partition, sort }) => ({
      table: String(name),
      pk: text(partition),
      sk: text(sort),
    }))
  } finally {
    database.close()
  }
}

/** Returns every item of every table, as DynamoDB's API spells it. */
async function itemsOf(dataFolder: string): Promise<ExpectedAnswers["items"]> {
  const keys = keysIn(dataFolder)
  const tables = await withoutExpiry(dataFolder)
  const cloud = await startEmbeddedCloud({ dataFolder, tables, queues: [] })
  const items: Record<string, Item[]> = {}
  for (const { table, pk, sk } of keys) {
    const item = await cloud.database.get({ table, pk, sk })
    items[table] = [...(items[table] ?? []), parseItem(item ?? "null")]
  }
  await cloud.close()
  return items
}

async function contentOf(folder: string): Promise<Record<string, Uint8Array>> {
  const entries: Record<string, Uint8Array> = {}
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    const path = join(file.parentPath, file.name)
    entries[`data/${relative(folder, path)}`] = await readFile(path)
  }
  return entries
}

await using receiver = await startReceiver()
await withFolder(async (parent) => {
  const folder = join(parent, "data")
  const first = await startReady(folder)
  await fill(callerOf(first.ready), first.ready, receiver.url)
  await delay(SETTLED_MS)
  await first.stop("SIGTERM")

  const second = await startReady(folder)
  const call = callerOf(second.ready)
  const { token, kept } = await handOut(call, second.ready)
  await delay(SETTLED_MS)
  const { answers, expiring } = await record(call, second.ready)
  await second.stop("SIGKILL")

  const copy = join(parent, "copy")
  await cp(folder, copy, { recursive: true })
  const expected: ExpectedAnswers = {
    token,
    answers,
    items: await itemsOf(copy),
    kept: { ...kept, expiring, madeAt: Date.now() },
  }
  const entries = { "expected.json": Buffer.from(JSON.stringify(expected)), ...(await contentOf(folder)) }
  await writeFile(target, zipSync(entries, { level: 9 }))
})
