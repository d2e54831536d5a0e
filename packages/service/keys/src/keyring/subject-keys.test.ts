import type { App } from "@sealway/accounts"
import { TEST_APP } from "@sealway/accounts/testing"
import { createMemoryTable } from "@sealway/ports/testing"
import {
  type ContentKey,
  ErasedSubjectError,
  isOfSubject,
  openToken,
  type ParsedToken,
  parseToken,
  subjectIdOf,
} from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { createTestAgreement, createTestEnvelope } from "../testing/test-keyring.ts"
import { dataSubjectRecords, erasureRecords, referenceRecords } from "./data-subject-table.ts"
import { createKeyring, type Keyring } from "./keyring.ts"
import { SUBJECT_KEY_TTL_MS } from "./subject-keys.ts"

const ADA = "ada"

/** Two processes over the same tables. */
async function createWorld() {
  let nowMs = 1_000
  const configTable = createMemoryTable()
  const keysTable = createMemoryTable()
  const eventsTable = createMemoryTable()
  const envelope = createTestEnvelope()
  const newProcess = () =>
    createKeyring({
      configTable,
      keysTable,
      eventsTable,
      envelope,
      agreement: createTestAgreement(),
      keyTags: {},
      now: () => nowMs,
      wallClock: () => nowMs,
    })
  const keyring = newProcess()
  await keyring.addVersion(TEST_APP)
  const seal = async (reference = ADA, app: App = TEST_APP, by: Keyring = keyring) => {
    const key = await by.subjects.forSealing(app, reference)
    return key.createSealingKey().seal("string", "Ada Lovelace")
  }
  return {
    configTable,
    eventsTable,
    keyring,
    newProcess,
    seal,
    pass: (ms: number) => {
      nowMs += ms
    },
    async open(text: string, by: Keyring = keyring, app: App = TEST_APP) {
      const token = parsed(text)
      const key = await by.subjects.open(app, idIn(text))
      if (!isOfSubject(token)) throw new Error("Of no data subject")
      const contentKey: ContentKey = key.contentKey(token)
      return openToken(token, contentKey, key.appPublicKey).value.toString()
    },
    async change(text: string, changes: object) {
      const subject = await dataSubjectRecords.find(configTable, TEST_APP.id, { id: idIn(text) })
      if (subject === null) throw new Error("There is no such data subject")
      await dataSubjectRecords.replace(configTable, TEST_APP.id, { ...subject, ...changes })
      return subject
    },
  }
}

function parsed(text: string): ParsedToken {
  const token = parseToken(text)
  if (token === null) throw new Error("It is no token")
  return token
}

function idIn(text: string): string {
  const token = parsed(text)
  if (!isOfSubject(token)) throw new Error("Of no data subject")
  return subjectIdOf(token)
}

describe("the keys of data subjects", () => {
  test("open in any process what another has sealed, for one reference with one key", async () => {
    const { seal, open, newProcess } = await createWorld()
    const first = await seal()
    const second = await seal(ADA, TEST_APP, newProcess())
    expect(idIn(second)).toBe(idIn(first))
    expect(idIn(await seal("bob"))).not.toBe(idIn(first))
    expect(await open(first, newProcess())).toBe("Ada Lovelace")
    expect(await open(second)).toBe("Ada Lovelace")
  })

  test("are read with two calls, and then for 5 seconds with none", async () => {
    const { seal, open, newProcess, configTable, eventsTable, pass } = await createWorld()
    const token = await seal()
    const reader = newProcess()
    await open(token, reader)
    const calls = () => [configTable.calls.length, eventsTable.calls.length]
    const before = calls()
    pass(SUBJECT_KEY_TTL_MS - 1)
    await open(token, reader)
    expect(calls()).toEqual(before)
    pass(1)
    await open(token, reader)
    expect(calls()).toEqual(before.map((count) => count + 1))
  })

  test("open nothing 5 seconds after the key was destroyed, in a process that has it in memory", async () => {
    const { seal, open, newProcess, change, pass } = await createWorld()
    const token = await seal()
    const reader = newProcess()
    await open(token, reader)
    await change(token, { status: "erased", key: null })
    pass(SUBJECT_KEY_TTL_MS)
    await expect(open(token, reader)).rejects.toBeInstanceOf(ErasedSubjectError)
    expect(reader.subjects.peek(TEST_APP, idIn(token))).toBeUndefined()
  })

  test("open nothing while the erasure can be undone, and everything once it is", async () => {
    const { seal, open, newProcess, change } = await createWorld()
    const token = await seal()
    await change(token, { status: "pending" })
    await expect(open(token, newProcess())).rejects.toBeInstanceOf(ErasedSubjectError)
    await change(token, { status: "active" })
    expect(await open(token, newProcess())).toBe("Ada Lovelace")
  })

  test("seal nothing from the moment at which an erasure is confirmed, in a process that has just sealed", async () => {
    const { seal, change } = await createWorld()
    const token = await seal()
    await change(token, { status: "pending" })
    await expect(seal()).rejects.toMatchObject({ code: "conflict" })
  })

  test("are new after an erasure, and what the old one sealed stays closed", async () => {
    const { seal, open, newProcess, change } = await createWorld()
    const old = await seal()
    await change(old, { status: "erased", key: null })
    const renewed = await seal()
    expect(idIn(renewed)).not.toBe(idIn(old))
    expect(await open(renewed)).toBe("Ada Lovelace")
    await expect(open(old, newProcess())).rejects.toBeInstanceOf(ErasedSubjectError)
  })

  test("open and seal nothing when somebody restores the record from an old backup: the ledger counts", async () => {
    const { seal, open, newProcess, change, configTable, eventsTable } = await createWorld()
    const token = await seal()
    const backup = new Map(configTable.items)
    await change(token, { status: "erased", key: null })
    await erasureRecords.create(eventsTable, TEST_APP.id, {
      id: idIn(token),
      changes: 1,
      requestedAt: 1,
      eraseAt: 2,
      erasedAt: 2,
      revision: 1,
    })
    for (const item of backup.values()) {
      await configTable.put({ pk: String(item.pk), sk: String(item.sk) }, item)
    }
    const process = newProcess()
    await expect(open(token, process)).rejects.toBeInstanceOf(ErasedSubjectError)
    expect(idIn(await seal(ADA, TEST_APP, process))).not.toBe(idIn(token))
  })

  test("follow the ledger where it knows of more changes than the record, and the record otherwise", async () => {
    const { seal, open, newProcess, change, eventsTable } = await createWorld()
    const token = await seal()
    const states = [
      { changes: 1, requestedAt: 1, eraseAt: 2 },
      { changes: 2, requestedAt: null, eraseAt: null },
      { changes: 3, requestedAt: 3, eraseAt: 4 },
    ]
    for (const [index, state] of states.entries()) {
      const entry = { id: idIn(token), ...state, erasedAt: null, revision: index }
      if (index === 0) await erasureRecords.create(eventsTable, TEST_APP.id, { ...entry, revision: 1 })
      else await erasureRecords.replace(eventsTable, TEST_APP.id, entry)
      const opened = open(token, newProcess())
      if (state.requestedAt === null) expect(await opened).toBe("Ada Lovelace")
      else await expect(opened).rejects.toBeInstanceOf(ErasedSubjectError)
    }
    await expect(seal()).rejects.toMatchObject({ code: "conflict" })
    await change(token, { changes: 3 })
    expect(await open(token, newProcess())).toBe("Ada Lovelace")
    await change(token, { changes: 4, status: "pending" })
    await expect(open(token, newProcess())).rejects.toBeInstanceOf(ErasedSubjectError)
  })

  test("are those of one app: neither another app nor a record moved to it opens a value", async () => {
    const { seal, open, keyring, newProcess, configTable } = await createWorld()
    const other: App = { ...TEST_APP, id: "app_2" }
    await keyring.addVersion(other)
    const token = await seal()
    await expect(open(token, newProcess(), other)).rejects.toMatchObject({ code: "invalid-request" })
    const subject = await dataSubjectRecords.find(configTable, TEST_APP.id, { id: idIn(token) })
    if (subject !== null) await dataSubjectRecords.create(configTable, other.id, subject)
    await expect(open(token, newProcess(), other)).rejects.toThrow("does not open")
  })

  test("do not open when records of two data subjects exchange their keys", async () => {
    const { seal, open, newProcess, change } = await createWorld()
    const [ada, bob] = [await seal(), await seal("bob")]
    const { key } = await change(bob, {})
    await change(ada, { key })
    await expect(open(ada, newProcess())).rejects.toThrow("does not open")
  })

  test("are one for a reference, however many processes seal for it first", async () => {
    const { seal, open, newProcess } = await createWorld()
    const tokens = await Promise.all(Array.from({ length: 8 }, () => seal(ADA, TEST_APP, newProcess())))
    expect(new Set(tokens.map(idIn)).size).toBe(1)
    expect(await open(tokens[7] ?? "")).toBe("Ada Lovelace")
  })

  test("are found by a reference that no process removes which has read the one before an erasure", async () => {
    const { seal, change, configTable } = await createWorld()
    const old = await seal()
    const { reference } = await change(old, { status: "erased", key: null })
    const name = reference ?? ""
    const before = await referenceRecords.find(configTable, TEST_APP.id, { name })
    const renewed = await seal()
    if (before === null) throw new Error("There is no such reference")
    expect(await referenceRecords.remove(configTable, TEST_APP.id, before)).toBe(false)
    expect(idIn(await seal())).toBe(idIn(renewed))
  })

  test("stay the same after a rotation of the app's keys", async () => {
    const { seal, open, keyring, newProcess } = await createWorld()
    const token = await seal()
    await keyring.addVersion(TEST_APP)
    const process = newProcess()
    expect(await open(token, process)).toBe("Ada Lovelace")
    expect(idIn(await seal(ADA, TEST_APP, process))).toBe(idIn(token))
  })

  test("keep nothing of a reference but a keyed hash, which differs from app to app", async () => {
    const { seal, keyring, configTable } = await createWorld()
    const other: App = { ...TEST_APP, id: "app_2" }
    await keyring.addVersion(other)
    await seal("ada@example.com")
    await seal("ada@example.com", other)
    const stored = [...configTable.items.values()]
    expect(JSON.stringify(stored)).not.toContain("ada@example.com")
    const names = stored.flatMap(({ name }) => (typeof name === "string" ? [name] : []))
    expect([names.length, new Set(names).size]).toEqual([2, 2])
    expect(await referenceRecords.find(configTable, TEST_APP.id, { name: names[0] ?? "" })).not.toBeNull()
  })

  test("are refused to an app whose keys are in an HSM", async () => {
    const { seal } = await createWorld()
    await expect(seal(ADA, { ...TEST_APP, custody: "hsm" })).rejects.toMatchObject({ code: "conflict" })
  })
})
