import { execFile } from "node:child_process"
import { once } from "node:events"
import { chmod } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import type { QueueDefinition, Table, TableDefinition } from "@sealway/ports"
import { expect, onTestFinished, test } from "vitest"
import { holdDataFolder } from "./data-folder.ts"
import { createDatabaseTable } from "./dynamodb/table/database-table.ts"
import { type EmbeddedCloud, type EmbeddedCloudOptions, startEmbeddedCloud } from "./start-embedded-cloud.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"

const TABLES: readonly TableDefinition[] = [
  { name: "config", partitionKey: "pk", sortKey: "sk", timeToLiveAttribute: null },
]
const QUEUES: readonly QueueDefinition[] = [
  { name: "events", visibilityTimeoutSeconds: 180, maxReceiveCount: 8 },
]
const KEY = { pk: "a", sk: "b" }
const IN_MEMORY: EmbeddedCloudOptions = { dataFolder: null, tables: TABLES, queues: QUEUES }

test("keeps items and keys across a restart", async () => {
  const dataFolder = await temporaryFolder()
  const before = await startEmbeddedCloud({ ...IN_MEMORY, dataFolder })
  await tableOf(before).put(KEY, { kept: true })
  const context = { app: "1" }
  await before.keyStore.ensureKey("alias/stage", "")
  const sealed = await before.keys.seal("alias/stage", Buffer.from("secret"), context)
  await before.close()

  const after = await startEmbeddedCloud({ ...IN_MEMORY, dataFolder })
  onTestFinished(() => after.close())

  expect(await tableOf(after).get(KEY)).toMatchObject({ kept: true })
  const opened = await after.keys.open("alias/stage", sealed, context)
  expect(Buffer.from(opened).toString()).toBe("secret")
})

// Other systems do not assign the rest of 127.0.0.0/8 to the loopback interface.
test.runIf(process.platform === "linux")("listens on no address but 127.0.0.1", async () => {
  const cloud = await startInMemory()

  const { hostname, port } = new URL(cloud.storageEndpoint)
  expect(hostname).toBe("127.0.0.1")
  const socket = connect(Number(port), "127.0.0.2")
  onTestFinished(() => void socket.destroy())
  await expect(once(socket, "connect")).rejects.toThrow()
})

test("refuses requests for objects that are not signed, or were signed by another start", async () => {
  const buckets = ["files"]
  const clouds = [await startInMemory({ buckets }), await startInMemory({ buckets })]
  const urls = await Promise.all(
    clouds.map(async ({ openObjects }) => (await openObjects("files", Date.now).signDownload("a")).url),
  )
  const [own, other] = urls
  const there = new URL(`${own?.origin}${other?.pathname}${other?.search}`)
  const answers = [own, there, `${own?.origin}${own?.pathname}`].map(async (url) => {
    const { status } = await fetch(url ?? "", { headers: { host: other?.host ?? "" } })
    return status
  })
  expect(await Promise.all(answers)).toEqual([404, 403, 403])
})

test("refuses a folder that is in use with data-folder-in-use, and does not disturb the holder", async () => {
  const dataFolder = await temporaryFolder()
  const cloud = await startEmbeddedCloud({ ...IN_MEMORY, dataFolder })
  onTestFinished(() => cloud.close())

  await expect(startEmbeddedCloud({ ...IN_MEMORY, dataFolder })).rejects.toMatchObject({
    code: "data-folder-in-use",
  })

  await cloud.keyStore.ensureKey("alias/stage", "")
  expect(await cloud.keys.seal("alias/stage", Buffer.from("secret"), {})).toBeInstanceOf(Uint8Array)
})

test("refuses with service-not-started when a table cannot be created, and releases the folder", async () => {
  const dataFolder = await temporaryFolder()
  const tables = [...TABLES, { name: "!", partitionKey: "pk", sortKey: "sk", timeToLiveAttribute: null }]

  await expect(startEmbeddedCloud({ ...IN_MEMORY, dataFolder, tables })).rejects.toMatchObject({
    code: "service-not-started",
  })

  const held = await holdDataFolder(dataFolder)
  held.release()
})

test("refuses with master-key-unusable when others can read the master key, and releases the folder", async () => {
  const dataFolder = await temporaryFolder()
  await (await startEmbeddedCloud({ ...IN_MEMORY, dataFolder })).close()
  await chmod(join(dataFolder, "kms", "master-key"), 0o644)

  await expect(startEmbeddedCloud({ ...IN_MEMORY, dataFolder })).rejects.toMatchObject({
    code: "master-key-unusable",
  })

  const held = await holdDataFolder(dataFolder)
  held.release()
})

test("closes once however often it is called", async () => {
  const cloud = await startEmbeddedCloud(IN_MEMORY)

  await Promise.all([cloud.close(), cloud.close()])
  await cloud.close()

  await expect(fetch(cloud.storageEndpoint)).rejects.toThrow()
})

test.each([
  ["closing", "[]"],
  ["failing to start", '[{ name: "!", partitionKey: "pk", sortKey: "sk", timeToLiveAttribute: null }]'],
])("leaves nothing that keeps the process alive after %s", async (_, tables) => {
  const script = `
    import { startEmbeddedCloud } from ${JSON.stringify(new URL("./start-embedded-cloud.ts", import.meta.url).href)}
    const options = { dataFolder: ${JSON.stringify(await temporaryFolder())}, tables: ${tables}, queues: [] }
    try {
      const cloud = await startEmbeddedCloud(options)
      await cloud.close()
    } catch (error) {
      if (error.code !== "service-not-started") throw error
    }
  `
  const { stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    timeout: 20_000,
  })

  expect(stderr).toBe("")
})

async function startInMemory(options: Partial<EmbeddedCloudOptions> = {}): Promise<EmbeddedCloud> {
  const cloud = await startEmbeddedCloud({ ...IN_MEMORY, ...options })
  onTestFinished(() => cloud.close())
  return cloud
}

function tableOf({ database }: EmbeddedCloud): Table {
  return createDatabaseTable(database, "config", Date.now)
}
