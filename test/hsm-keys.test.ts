import { randomUUID } from "node:crypto"
import { pageApps } from "@sealway/accounts"
import { createService } from "@sealway/api"
import { createPlatform, type Platform } from "@sealway/http"
import { withoutLaterWrites } from "@sealway/http/testing"
import { type HsmKey, sweepHsmKeys } from "@sealway/keys"
import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { APP_TAG, type AwsClients, appPartition, KEY_TAG, QUEUES, STAGE_TAG, TABLES } from "@sealway/ports"
import { createSealingKey } from "@sealway/tokens"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createBreakableProcesses, type Interception, interceptKeys } from "./support/breakable-process.ts"
import { ENDPOINT_REQUESTS, prepareTeam, sendRequest } from "./support/endpoint-requests.ts"
import type { GrantRequest, Prerequisites } from "./support/grant-request.ts"

const HOUR_MS = 3_600_000
const SWEPT = { pk: "hsm-keys", sk: "swept" }
const SILENT = { info() {}, warn() {}, error() {} }

let cloud: EmbeddedCloud
let platform: Platform
let clients: AwsClients

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  const created = createCloudClients(cloud)
  clients = created.clients
  await ensureStageKey(cloud)
  platform = withoutLaterWrites(createPlatform(created.configuration, clients))
})
afterAll(() => cloud.close())
beforeEach(async () => {
  // The next sweep looks, as on another day.
  await platform.configTable.put(SWEPT, { expiresAt: 0 })
})

const served = () => createService(platform).endpoints
const prepare = () => prepareTeam(platform, served(), "hsm")

/** Starts a process whose calls of KMS go through a function. */
function processWith(call: Interception): Platform {
  const { configuration, clients: own } = createCloudClients(cloud)
  const created = createPlatform(configuration, { ...own, keys: interceptKeys(own.keys, call) })
  return withoutLaterWrites({ ...created, log: SILENT })
}

const decrypt = (given: Prerequisites, body: unknown, by: Platform = platform) =>
  sendRequest(createService(by).endpoints, "decrypt", given, { body }, randomUUID())

/** Seals values as clients do that each use an ephemeral key of their own. */
async function sealAsClients(given: Prerequisites, values: readonly string[]): Promise<string[]> {
  const { ecdhP256Key = "" } = await given.prepare("get-keys", {})
  const appPublicKey = Buffer.from(ecdhP256Key, "base64")
  return values.map((value) => createSealingKey({ appPublicKey, debug: true }).seal("string", value))
}

/** Sweeps as if it were later. */
const sweep = (laterMs = 2 * HOUR_MS) =>
  sweepHsmKeys({ ...platform, log: SILENT, wallClock: () => platform.wallClock() + laterMs })

async function keysInUse(): Promise<readonly HsmKey[]> {
  return Array.fromAsync(platform.hsmKeys.list())
}

/** Returns the tags that the records of apps name. */
async function recordedTags(appIds: readonly string[]): Promise<readonly unknown[]> {
  const records = appIds.map((id) => platform.keysTable.list(appPartition(id), "key-version#"))
  return (await Promise.all(records)).flat().flatMap(({ keyTag }) => keyTag ?? [])
}

async function listApps(teamId: string): Promise<string[]> {
  const apps = await pageApps(platform.configTable, teamId, { limit: 100 })
  return apps.data.map(({ id }) => id)
}

describe("a request that creates a key in KMS and dies", () => {
  test.each(["create-app", "rotate-keys", "update-app"])(
    "leaves no key behind in %s, wherever it dies, and loses none that is used",
    async (id) => {
      const processes = createBreakableProcesses(cloud, [])
      const request = ENDPOINT_REQUESTS[id]
      if (request === undefined) throw new Error("There is no such request")
      const before = new Set((await keysInUse()).map(({ keyTag }) => keyTag))
      const trials: { given: Prerequisites; wanted: GrantRequest; key: string; sealed: string[] }[] = []
      const whole = processes.start(null)
      await sendTo(whole.endpoints)
      for (const kind of ["death", "lost answer"] as const) {
        for (let at = 1; at <= whole.writes(); at++) await sendTo(processes.start({ kind, at }).endpoints)
      }
      async function sendTo(endpoints: ReturnType<typeof served>) {
        const given = await prepare()
        const wanted = [await request?.(given)].flat()[0] ?? {}
        const sealed = await sealAsClients(given, ["x"])
        const key = randomUUID()
        trials.push({ given, wanted, key, sealed })
        await sendRequest(endpoints, id, given, wanted, key).catch(() => undefined)
      }
      const unused = (await newKeys()).length - (await tagsOfApps()).length
      expect(unused).toBeGreaterThan(0)
      let swept = 0
      for (const laterMs of [2 * HOUR_MS, 49 * HOUR_MS]) {
        swept += await sweep(laterMs)
        await platform.configTable.put(SWEPT, { expiresAt: 0 })
      }
      expect(swept).toBe(unused)

      expect((await newKeys()).map(({ keyTag }) => keyTag).sort()).toEqual([...(await tagsOfApps())].sort())
      for (const { given, sealed } of trials) {
        expect((await decrypt(given, sealed)).body).toBe('["x"]')
        await given.prepare("rotate-keys", { auth: "team", path: { app_id: given.app.id } })
        const [young] = await sealAsClients(given, ["y"])
        expect((await decrypt(given, [young, ...sealed])).body).toBe('["y","x"]')
      }

      async function newKeys() {
        return (await keysInUse()).filter(({ keyTag }) => !before.has(keyTag))
      }
      /** Returns the tags that the apps of all trials name. */
      async function tagsOfApps() {
        const listed = trials.map(({ given: { team } }) => listApps(team.id))
        return recordedTags((await Promise.all(listed)).flat())
      }
    },
  )
})

describe("the sweeper of keys in KMS", () => {
  const create = (tags: Record<string, string>) => clients.keys.createAgreementKey(tags)
  const orphan = () => ({ [APP_TAG]: "app_gone", [KEY_TAG]: randomUUID() })

  test("leaves keys alone that are younger than an hour, since their record may be on its way", async () => {
    await create(orphan())
    expect(await sweep(HOUR_MS - 60_000)).toBe(0)
  })

  test("looks once a day", async () => {
    await sweep()
    await create(orphan())
    expect(await sweep()).toBe(0)
  })

  test("leaves keys alone without its tags, and of another stage", async () => {
    await sweep()
    await platform.configTable.put(SWEPT, { expiresAt: 0 })
    await create({})
    await create({ [APP_TAG]: "app_gone" })
    const { configuration } = createCloudClients(cloud)
    const staged = createPlatform({ ...configuration, keyTags: { [STAGE_TAG]: "production" } }, clients)
    await create({ ...orphan(), [STAGE_TAG]: "other" })
    const wallClock = () => platform.wallClock() + 2 * HOUR_MS
    expect(await sweepHsmKeys({ ...staged, log: SILENT, wallClock })).toBe(0)
    await create({ ...orphan(), [STAGE_TAG]: "production" })
    await platform.configTable.put(SWEPT, { expiresAt: 0 })
    expect(await sweepHsmKeys({ ...staged, log: SILENT, wallClock })).toBe(1)
  })

  test("deletes nothing when more keys have no record than have one, as with another table", async () => {
    const living = (await keysInUse()).length
    for (let keys = 0; keys <= Math.max(10, living); keys++) await create(orphan())
    const before = (await keysInUse()).length
    await expect(sweep()).rejects.toThrow("none is deleted")
    expect((await keysInUse()).length).toBe(before)
    for (const { keyId, appId } of await keysInUse()) {
      if (appId === "app_gone") await platform.hsmKeys.scheduleDeletion(keyId)
    }
  })
})

describe("a key in KMS", () => {
  test("that is going to be deleted refuses its values with service-unavailable, and no value of other versions", async () => {
    const given = await prepare()
    const old = await sealAsClients(given, ["old"])
    await given.prepare("rotate-keys", { auth: "team", path: { app_id: given.app.id } })
    const [young] = await sealAsClients(given, ["young"])
    const [, newest] = await recordedTags([given.app.id]).then((tags) => tags.toReversed())
    const key = (await keysInUse()).find(({ keyTag }) => keyTag === newest)
    await clients.keys.scheduleDeletion(key?.keyId ?? "", 7)
    expect((await decrypt(given, old)).body).toBe('["old"]')
    const refused = await decrypt(given, [young])
    expect([refused.statusCode, refused.headers?.["retry-after"]]).toEqual([503, "60"])
    expect(JSON.parse(refused.body ?? "")).toMatchObject({ code: "service-unavailable" })
  })
})

describe("KMS", () => {
  const values = Array.from({ length: 200 }, (_, index) => `value ${index}`)

  test("that throttles makes decryption fail with service-unavailable and Retry-After, once", async () => {
    const given = await prepare()
    const sealed = await sealAsClients(given, ["a", "b", "c"])
    let asked = 0
    const throttled = processWith(({ operation }, send) => {
      if (operation !== "DeriveSharedSecret" || ++asked !== 2) return send()
      return Promise.reject(Object.assign(new Error("slow"), { name: "ThrottlingException" }))
    })
    const refused = await decrypt(given, sealed, throttled)
    expect([refused.statusCode, refused.headers?.["retry-after"]]).toEqual([503, "1"])
    expect((await decrypt(given, sealed, throttled)).body).toBe('["a","b","c"]')
  })

  test("is asked for 200 secrets by at most 32 calls at a time", async () => {
    const given = await prepare()
    const sealed = await sealAsClients(given, values)
    const calls = { now: 0, most: 0, all: 0 }
    const watched = processWith(async ({ operation }, send) => {
      if (operation !== "DeriveSharedSecret") return send()
      calls.all++
      calls.most = Math.max(calls.most, ++calls.now)
      return send().finally(() => calls.now--)
    })
    const answers = await Promise.all([decrypt(given, sealed, watched), decrypt(given, sealed, watched)])
    for (const { body = "" } of answers) expect(JSON.parse(body)).toEqual(values)
    expect(calls).toEqual({ now: 0, most: expect.any(Number), all: 200 })
    expect(calls.most).toBeGreaterThan(1)
    expect(calls.most).toBeLessThanOrEqual(32)
  })

  test("is not asked any further once a call has failed", async () => {
    const given = await prepare()
    const sealed = await sealAsClients(given, values)
    let asked = 0
    const failing = processWith(({ operation }, send) => {
      if (operation !== "DeriveSharedSecret") return send()
      asked++
      return asked === 1 ? send() : Promise.reject(Object.assign(new Error("no"), { name: "TimeoutError" }))
    })
    expect((await decrypt(given, sealed, failing)).statusCode).toBe(503)
    expect(asked).toBeLessThanOrEqual(1 + 32)
  })
})
