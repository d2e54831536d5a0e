import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import {
  type App,
  CONFIG_TABLE,
  createKeyring,
  createKmsEnvelope,
  createTable,
  type Keyring,
  TABLES,
} from "@sealway/platform"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

const clock = { ms: 1_000_000 }
let cloud: EmbeddedCloud
let calls: string[] = []

/** Starts a process of its own, over the same cloud: only what is stored is shared. */
async function newProcess(): Promise<Keyring> {
  const { configuration, clients } = createCloudClients(cloud, {
    onCall: ({ service, operation }) => calls.push(`${service}:${operation}`),
  })
  await ensureStageKey(clients.kms)
  calls = []
  return createKeyring({
    table: createTable(clients.dynamodb, configuration.configTable, () => clock.ms),
    envelope: createKmsEnvelope(clients.kms, configuration.kmsKeyId),
    now: () => clock.ms,
    wallClock: () => clock.ms,
  })
}

let apps = 0
const newApp = (): App => ({
  id: `app_${String(apps++).padStart(16, "0")}`,
  teamId: "team_0000000000000000",
  name: "",
  environment: "production",
  status: "enabled",
  allowedOrigins: [],
  cardInsights: false,
  createdAt: 0,
  revision: 1,
})

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: [] })
})
afterAll(() => cloud.close())

describe("the keyring", () => {
  test("opens in one process what another one created, with the same keys", async () => {
    const app = newApp()
    const [one, other] = [await newProcess(), await newProcess()]
    await one.addVersion(app)
    const [here, there] = [await one.newest(app), await other.newest(app)]
    expect(there.version).toBe(1)
    expect(there.publicKeys).toEqual(here.publicKeys)
    expect(there.deriveKey("fingerprint")).toEqual(here.deriveKey("fingerprint"))
    expect(here.publicKeys.prime256v1).toHaveLength(33)
  })

  test("gives each app and each version its own keys", async () => {
    const keyring = await newProcess()
    const [first, second] = [newApp(), newApp()]
    for (const app of [first, first, second]) await keyring.addVersion(app)
    const versions = [
      await keyring.open(first, 1),
      await keyring.open(first, 2),
      await keyring.open(second, 1),
    ]
    for (const curve of ["prime256v1", "secp256k1"] as const) {
      expect(new Set(versions.map(({ publicKeys }) => publicKeys[curve].toString("hex"))).size).toBe(3)
    }
    expect(new Set(versions.map((version) => version.deriveKey("fingerprint").toString("hex"))).size).toBe(3)
  })

  test("makes one Query and one Decrypt for a cold app, shared by concurrent callers, and none for a warm one", async () => {
    const app = newApp()
    await (await newProcess()).addVersion(app)
    const keyring = await newProcess()
    await Promise.all(Array.from({ length: 10 }, () => keyring.newest(app)))
    expect(calls).toEqual(["dynamodb:Query", "kms:Decrypt"])
    clock.ms += 9_999
    await keyring.newest(app)
    expect(calls).toHaveLength(2)
  })

  test("sees another process's rotation within 10 seconds, and at once when a value needs it", async () => {
    const app = newApp()
    const [one, other] = [await newProcess(), await newProcess()]
    await one.addVersion(app)
    expect((await other.newest(app)).version).toBe(1)
    await one.addVersion(app)

    clock.ms += 1_000
    expect(await other.versions(app)).toEqual([1])
    expect(await other.refreshedVersions(app)).toEqual([2, 1])
    expect((await other.newest(app)).version).toBe(2)
  })

  test("reads the list of versions again at most once a second, however many values do not open", async () => {
    const app = newApp()
    const keyring = await newProcess()
    await keyring.addVersion(app)
    await keyring.versions(app)
    clock.ms += 1_000
    calls = []
    for (let value = 0; value < 50; value++) await keyring.refreshedVersions(app)
    expect(calls).toEqual(["dynamodb:Query"])
  })

  test("forgets opened keys after five minutes", async () => {
    const app = newApp()
    const keyring = await newProcess()
    await keyring.addVersion(app)
    await keyring.newest(app)
    calls = []
    clock.ms += 5 * 60_000 + 1
    await keyring.newest(app)
    expect(calls).toEqual(["dynamodb:Query", "kms:Decrypt"])
  })

  test.each([
    ["another app", (app: App) => ({ ...app, id: "app_stolen0000000000" })],
    ["another team", (app: App) => ({ ...app, teamId: "team_stolen000000000" })],
  ])("does not open a stored version that was copied to %s", async (_what, move) => {
    const app = newApp()
    const keyring = await newProcess()
    await keyring.addVersion(app)
    const { clients } = createCloudClients(cloud)
    const table = createTable(clients.dynamodb, CONFIG_TABLE.name, () => clock.ms)
    const target = move(app)
    const [stored] = await table.list(`app#${app.id}`, "key-version#")
    if (stored === undefined) throw new Error("The app has no key version")
    if (target.id !== app.id) await table.create({ pk: `app#${target.id}`, sk: String(stored.sk) }, stored)
    await expect((await newProcess()).newest(target)).rejects.toMatchObject({
      name: "InvalidCiphertextException",
    })
  })
})
