/**
 * Keeps tables and works on them on command: a line `puts 8 1500` has 8 callers write for 1,500 ms. Answers a line of
 * JSON.
 *
 *     node store-process.ts sqlite|dynalite FOLDER
 */
import { once } from "node:events"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { createInterface } from "node:readline"
import type { Table } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"
import { createDynamoDbTables } from "../test/support/dynamodb-tables.ts"

/** A page of a list, and one more to see whether there are more. */
const ITEMS_A_PARTITION = 21
const PARTITIONS = 200
const TABLE = { name: "config", partitionKey: "pk", sortKey: "sk", timeToLiveAttribute: null }
const CONNECTION = { region: "us-east-1", credentials: { accessKeyId: "a", secretAccessKey: "b" } }

const [kind, folder = ""] = process.argv.slice(2)
const before = performance.now()
const table = await (kind === "sqlite" ? openSqlite() : openDynalite())
const startMs = performance.now() - before

const item = { revision: 1, text: "x".repeat(400), list: [1, 2, 3], createdAt: Date.now() }
const keyOf = (index: number) => ({
  pk: `app#${index % PARTITIONS}`,
  sk: `record#${String(Math.floor(index / PARTITIONS) % ITEMS_A_PARTITION).padStart(26, "0")}`,
})
let turn = 0
const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  puts: () => table.put(keyOf(turn++), item),
  gets: () => table.get(keyOf(turn++)),
  lists: () => table.list(keyOf(turn++).pk, "record#"),
  mixed: () => (turn % 4 === 0 ? table.put(keyOf(turn++), item) : table.get(keyOf(turn++))),
}
while (turn < PARTITIONS * ITEMS_A_PARTITION)
  await Promise.all(Array.from({ length: 32 }, () => WORK.puts?.()))
console.log(JSON.stringify({ startMs }))

for await (const line of createInterface({ input: process.stdin })) {
  const [name = "", callers, ms] = line.split(" ")
  const work = WORK[name]
  if (work === undefined) throw new Error(`There is no work ${name}`)
  console.log(JSON.stringify(await measure(work, Number(callers), Number(ms))))
}

async function measure(work: () => Promise<unknown>, callers: number, ms: number) {
  const times: number[] = []
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const begin = performance.now()
  const caller = async () => {
    for (let now = performance.now(); now - begin < ms; ) {
      await work()
      const after = performance.now()
      times.push(after - now)
      now = after
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  delays.disable()
  const sorted = times.toSorted((a, b) => a - b)
  return {
    perSecond: (times.length / (performance.now() - begin)) * 1000,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    delayMs: delays.percentile(99) / 1e6,
  }
}

/** As the service does it. */
async function openSqlite(): Promise<Table> {
  const { openTables } = await import("@sealway/local/open-tables")
  const database = await openTables(join(folder, "sqlite"), [TABLE], (message, error) =>
    console.error(message, error),
  )
  const { createDatabaseTable } = await import("@sealway/local/database-table")
  return createDatabaseTable(database, TABLE.name, Date.now)
}

/** As the service would over another DynamoDB. */
async function openDynalite(): Promise<Table> {
  const { default: dynalite } = await import("dynalite")
  const server = dynalite({
    path: join(folder, "dynalite"),
    createTableMs: 0,
    deleteTableMs: 0,
    updateTableMs: 0,
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server listens on no port")
  const { region, credentials } = CONNECTION
  const endpoint = `http://127.0.0.1:${address.port}`
  await createDynamoDbTables({ region, credentials, endpoint }, [TABLE])
  return createAwsClients({ region, endpoints: { dynamodb: endpoint } }, { credentials }).openTable(
    TABLE.name,
    Date.now,
  )
}
