import { createKeyring } from "@sealway/keys"
import { createTestAgreement, createTestEnvelope } from "@sealway/keys/testing"
import { RANDOM_DRAWS } from "@sealway/ports"
import { createMemoryTable } from "@sealway/ports/testing"
import { SYSTEM } from "@sealway/records"
import { expect, test } from "vitest"
import { createApp } from "./apps.ts"
import { fillMissingKeyParts } from "./fill-missing-key-parts.ts"
import { createFirstApps } from "./first-apps.ts"

const SILENT = { info() {}, warn() {}, error() {} }
const DAY_MS = 86_400_000

/** Creates apps as an earlier release left them: their key versions have no parts. */
async function createOldApps(moreApps = 0) {
  let nowMs = 1_700_000_000_000
  const wallClock = () => nowMs
  const configTable = createMemoryTable({ wallClock })
  const keysTable = createMemoryTable({ wallClock })
  const envelope = createTestEnvelope()
  const keyring = createKeyring({
    configTable,
    keysTable,
    eventsTable: createMemoryTable(),
    envelope,
    agreement: createTestAgreement(),
    keyTags: {},
    now: () => 0,
    wallClock,
  })
  const audit = { record: async () => undefined, async *read() {} }
  const tables = { configTable, keysTable }
  const platform = { ...tables, envelope, keyring, audit, draws: RANDOM_DRAWS, wallClock, log: SILENT }
  const { teamId, appIds } = await createFirstApps(platform)
  const ids = [...appIds]
  while (ids.length < 2 + moreApps) {
    const wanted = { name: "App", environment: "sandbox" } as const
    ids.push((await createApp(platform, teamId, wanted, SYSTEM)).id)
  }
  const versionsOf = (id: string) => keysTable.list(`app#${id}`, "key-version#")
  const forget = async (id: string, change: object = {}) => {
    for (const { parts: _, ...others } of await versionsOf(id)) {
      await keysTable.put({ pk: `app#${id}`, sk: String(others.sk) }, { ...others, ...change })
    }
  }
  for (const id of ids) await forget(id)
  return {
    platform,
    ids,
    forget,
    withoutParts: async () =>
      (await Promise.all(ids.map(versionsOf))).flat().filter(({ parts }) => parts === undefined).length,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

test("gives the key versions of all apps their parts, however many there are", async () => {
  const { platform, ids, withoutParts } = await createOldApps(200)
  expect(await fillMissingKeyParts(platform)).toBe(ids.length)
  expect(await withoutParts()).toBe(0)
})

test("looks again after a day, because an earlier release may have been back meanwhile", async () => {
  const { platform, ids, forget, withoutParts, pass } = await createOldApps()
  await fillMissingKeyParts(platform)
  await forget(ids[0] ?? "")
  pass(DAY_MS - 1000)
  expect(await fillMissingKeyParts(platform)).toBe(0)
  pass(2000)
  expect(await fillMissingKeyParts(platform)).toBe(1)
  expect(await withoutParts()).toBe(0)
})

test("completes the other apps when one fails, reports it, and tries that one again the next time", async () => {
  const { platform, ids, forget, withoutParts } = await createOldApps(3)
  const [broken = ""] = ids
  await forget(broken, { ciphertext: Buffer.from('[{"of":"another app"},"00"]') })
  await expect(fillMissingKeyParts(platform)).rejects.toThrow("of 1 apps")
  expect(await withoutParts()).toBe(1)
  await expect(fillMissingKeyParts(platform)).rejects.toThrow("of 1 apps")
})

test("stops before the next app when it is told to, and does the rest the next time", async () => {
  const { platform, withoutParts } = await createOldApps(2)
  const stop = new AbortController()
  const envelope = {
    ...platform.envelope,
    open(...given: Parameters<typeof platform.envelope.open>) {
      stop.abort()
      return platform.envelope.open(...given)
    },
  }
  expect(await fillMissingKeyParts({ ...platform, envelope }, stop.signal)).toBe(1)
  expect(await withoutParts()).toBe(3)
  expect(await fillMissingKeyParts(platform)).toBe(3)
})

test("does nothing where there is no team yet", async () => {
  const { platform } = await createOldApps()
  expect(await fillMissingKeyParts({ ...platform, configTable: createMemoryTable() })).toBe(0)
})
