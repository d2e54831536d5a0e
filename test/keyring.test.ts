import { type App, NO_CHOSEN_LIMITS } from "@sealway/accounts"
import { createKeyring, createKmsAgreement, createKmsEnvelope, type Keyring } from "@sealway/keys"
import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { KEY_PARTS, KEYS_TABLE, PARTS_WITHIN, TABLES } from "@sealway/ports"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"

const clock = { ms: 1_000_000 }
let cloud: EmbeddedCloud
let calls: string[] = []

/** Starts a process of its own, over the same cloud: only what is stored is shared. */
async function newProcess(): Promise<Keyring> {
  return createKeyring({ ...(await connect()), now: () => clock.ms, wallClock: () => clock.ms })
}

async function connect() {
  const { configuration, clients } = createCloudClients(cloud, {
    onCall: ({ service, operation }) => calls.push(`${service}:${operation}`),
  })
  await ensureStageKey(cloud)
  calls = []
  return {
    configTable: clients.openTable(configuration.configTable, () => clock.ms),
    keysTable: clients.openTable(configuration.keysTable, () => clock.ms),
    eventsTable: clients.openTable(configuration.eventsTable, () => clock.ms),
    envelope: createKmsEnvelope(clients.keys, configuration.kmsKeyId),
    agreement: createKmsAgreement(clients.keys),
    keyTags: {},
  }
}

const partsSchema = z.object({ public: z.unknown(), value: z.unknown(), secret: z.unknown() })
type SealedParts = z.infer<typeof partsSchema>

/** Returns the records of an app's versions, newest first. */
async function storedVersions(app: App) {
  return (await connect()).keysTable.list(`app#${app.id}`, "key-version#")
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
  sealing: "public-key",
  custody: "envelope",
  erasureDays: null,
  limits: NO_CHOSEN_LIMITS,
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
    const [here, there] = [await one.newest(app, "private"), await other.newest(app, "private")]
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
      await keyring.open(first, 1, "private"),
      await keyring.open(first, 2, "private"),
      await keyring.open(second, 1, "private"),
    ]
    for (const curve of ["prime256v1", "secp256k1"] as const) {
      expect(new Set(versions.map(({ publicKeys }) => publicKeys[curve]?.toString("hex"))).size).toBe(3)
    }
    expect(new Set(versions.map((version) => version.deriveKey("fingerprint").toString("hex"))).size).toBe(3)
  })

  test.each(KEY_PARTS)(
    "makes one Query and one Decrypt for the part %s of a cold app, shared by concurrent callers, and none for a warm one",
    async (part) => {
      const app = newApp()
      await (await newProcess()).addVersion(app)
      const keyring = await newProcess()
      await Promise.all(Array.from({ length: 10 }, () => keyring.newest(app, part)))
      expect(calls).toEqual(["dynamodb:Query", "kms:Decrypt"])
      clock.ms += 9_999
      await keyring.newest(app, part)
      expect(calls).toHaveLength(2)
    },
  )

  test("encrypts each part of a new version once", async () => {
    const keyring = await newProcess()
    await keyring.addVersion(newApp())
    const encrypting = Array(KEY_PARTS.length).fill("kms:Encrypt")
    expect(calls).toEqual(["dynamodb:Query", ...encrypting, "dynamodb:PutItem"])
  })

  test("opens no part that is within another one in memory, and the same keys in each", async () => {
    const app = newApp()
    await (await newProcess()).addVersion(app)
    for (const larger of KEY_PARTS) {
      const keyring = await newProcess()
      await keyring.newest(app, larger)
      const before = calls.length
      for (const part of PARTS_WITHIN[larger]) await keyring.newest(app, part)
      expect(calls).toHaveLength(before)
    }
    const [secret, value, keys] = [
      await (await newProcess()).newest(app, "secret"),
      await (await newProcess()).newest(app, "value"),
      await (await newProcess()).newest(app, "private"),
    ]
    expect(secret.publicKeys).toEqual(keys.publicKeys)
    expect(value.publicKeys).toEqual(keys.publicKeys)
    expect(secret.deriveKey("webhook-secret")).toEqual(keys.deriveKey("webhook-secret"))
    expect(value.valueKey).toEqual(keys.valueKey)
    expect(Object.keys(secret).sort()).toEqual([
      ...["deriveKey", "honeyMarks", "publicKeys", "sealingKeys", "version"],
    ])
    expect(Object.keys(value).sort()).toEqual([
      ...["publicKeys", "sealingKeys", "symmetric", "valueKey", "version"],
    ])
  })

  test("sees another process's rotation within 10 seconds, and at once when a value needs it", async () => {
    const app = newApp()
    const [one, other] = [await newProcess(), await newProcess()]
    await one.addVersion(app)
    expect((await other.newest(app, "private")).version).toBe(1)
    await one.addVersion(app)

    clock.ms += 1_000
    expect(await other.versions(app)).toEqual([1])
    expect(await other.refreshedVersions(app)).toEqual([2, 1])
    expect((await other.newest(app, "private")).version).toBe(2)
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
    await keyring.newest(app, "private")
    calls = []
    clock.ms += 5 * 60_000 + 1
    await keyring.newest(app, "private")
    expect(calls).toEqual(["dynamodb:Query", "kms:Decrypt"])
  })

  test.each([
    [
      "the part of another version",
      ([, other]: SealedParts[], mine: SealedParts) => ({ ...mine, public: other?.public }),
    ],
    ["another part", (_: SealedParts[], mine: SealedParts) => ({ ...mine, public: mine.secret })],
    [
      "the private part",
      (_: SealedParts[], mine: SealedParts, ciphertext: unknown) => ({ ...mine, public: ciphertext }),
    ],
    [
      "the part of another app",
      (_: SealedParts[], mine: SealedParts, _ciphertext: unknown, stolen: SealedParts) => ({
        ...mine,
        public: stolen.public,
      }),
    ],
  ])("does not open %s in the place of a version's public part", async (_what, change) => {
    const [app, other] = [newApp(), newApp()]
    const keyring = await newProcess()
    for (const each of [app, app, other]) await keyring.addVersion(each)
    const stored = await storedVersions(app)
    const all = stored.map(({ parts }) => partsSchema.parse(parts))
    const [mine, stolen] = [
      all[0],
      (await storedVersions(other)).map(({ parts }) => partsSchema.parse(parts))[0],
    ]
    if (mine === undefined || stolen === undefined) throw new Error("There are no parts")
    const { keysTable: table } = await connect()
    const parts = change(all, mine, stored[0]?.ciphertext, stolen)
    await table.put({ pk: `app#${app.id}`, sk: String(stored[0]?.sk) }, { ...stored[0], parts })
    await expect((await newProcess()).newest(app, "public")).rejects.toMatchObject({
      name: "InvalidCiphertextException",
    })
  })

  test.each([
    ["another app", (app: App) => ({ ...app, id: "app_stolen0000000000" })],
    ["another team", (app: App) => ({ ...app, teamId: "team_stolen000000000" })],
  ])("does not open a stored version that was copied to %s", async (_what, move) => {
    const app = newApp()
    const keyring = await newProcess()
    await keyring.addVersion(app)
    const { clients } = createCloudClients(cloud)
    const table = clients.openTable(KEYS_TABLE.name, () => clock.ms)
    const target = move(app)
    const [stored] = await table.list(`app#${app.id}`, "key-version#")
    if (stored === undefined) throw new Error("The app has no key version")
    if (target.id !== app.id) await table.create({ pk: `app#${target.id}`, sk: String(stored.sk) }, stored)
    await expect((await newProcess()).newest(target, "private")).rejects.toMatchObject({
      name: "InvalidCiphertextException",
    })
  })
})
