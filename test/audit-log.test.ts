import { createPlatform, type Platform } from "@sealway/http"
import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { AUDIT_TABLE, QUEUES, TABLES, type Table } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"
import {
  type AuditEntry,
  type AuditTable,
  audited,
  commitInGroup,
  createAuditLog,
  createAuditTable,
  createAuditWriter,
  SYSTEM,
  writtenByFunction,
} from "@sealway/records"
import {
  type AuditRecord,
  type ChainHead,
  createAuditChainVerifier,
  EMPTY_CHAIN,
  linkAuditRecord,
} from "@sealway/records/audit-chain"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { type AuditWriterServer, serveAuditWriter } from "./support/audit-writer-server.ts"

let cloud: EmbeddedCloud
let calls = 0
let teams = 0

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  await ensureStageKey(cloud)
})
afterAll(() => cloud.close())

function newProcess(): Platform {
  const { configuration, clients } = createCloudClients(cloud, { onCall: () => calls++ })
  return createPlatform(configuration, clients)
}

const newTeam = () => `team_${teams++}`
const entry = (teamId: string, id = "app_1"): AuditEntry => ({
  ...SYSTEM,
  teamId,
  appId: null,
  action: "app.update",
  target: { type: "app", id },
})

async function readAll(
  platform: Platform,
  teamId: string,
  fromSeq: number | null = null,
): Promise<AuditRecord[]> {
  return Array.fromAsync(platform.audit.read(teamId, fromSeq))
}

function isIntact(newestFirst: readonly AuditRecord[]): boolean {
  const verifier = createAuditChainVerifier()
  for (const record of newestFirst.toReversed()) verifier.add(record)
  return verifier.result().state === "intact"
}

describe("the audit log", () => {
  test("keeps one intact chain when several processes write at once, and loses nothing", async () => {
    const teamId = newTeam()
    const processes = [newProcess(), newProcess(), newProcess()]
    const ids = Array.from({ length: 120 }, (_, index) => `app_${index}`)
    await Promise.all(ids.map((id, index) => processes[index % 3]?.audit.record(entry(teamId, id))))
    const records = await readAll(newProcess(), teamId)
    expect(records.map(({ target }) => target.id).sort()).toEqual(ids.sort())
    expect(isIntact(records)).toBe(true)
  })

  test("writes waiting records as one item", async () => {
    const teamId = newTeam()
    const { audit } = newProcess()
    calls = 0
    await Promise.all(Array.from({ length: 51 }, () => audit.record(entry(teamId))))
    // The head is read, the first record written, then all that arrived meanwhile.
    expect(calls).toBe(3)
  })

  test("is read from any record downward, across the borders of items", async () => {
    const teamId = newTeam()
    const platform = newProcess()
    await platform.audit.record(entry(teamId))
    await Promise.all(Array.from({ length: 7 }, () => platform.audit.record(entry(teamId))))
    await platform.audit.record(entry(teamId))
    const seqs = async (from: number | null) => (await readAll(platform, teamId, from)).map(({ seq }) => seq)
    expect(await seqs(null)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
    expect(await seqs(5)).toEqual([5, 4, 3, 2, 1])
    expect(await seqs(1)).toEqual([1])
    expect(await seqs(0)).toEqual([])
    expect(await seqs(100)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
  })

  test("keeps the logs of teams apart", async () => {
    const [one, other] = [newTeam(), newTeam()]
    const platform = newProcess()
    await Promise.all([platform.audit.record(entry(one)), platform.audit.record(entry(other))])
    expect((await readAll(platform, one)).map(({ seq, teamId }) => [seq, teamId])).toEqual([[1, one]])
  })
})

describe("the audit log of a stage, which one function writes", () => {
  let isAnswered: () => boolean
  let writer: AuditWriterServer
  beforeAll(async () => {
    writer = await serveAuditWriter(newProcess(), { isAnswered: () => isAnswered() })
  })
  afterAll(() => writer.close())

  /** A process that could not write to the table itself. */
  function reader(): Platform {
    isAnswered = () => true
    const { configuration, clients } = createCloudClients(cloud)
    const { connect } = createAwsClients(
      { region: "us-east-1", endpoints: { lambda: writer.endpoint } },
      { credentials: { accessKeyId: "id", secretAccessKey: "secret" } },
    )
    return createPlatform({ ...configuration, auditWriter: writer.functionName }, { ...clients, connect })
  }
  function callingTable(): AuditTable {
    return writtenByFunction(newProcess().auditTable, (_, call) => write(call), writer.functionName)
  }
  const write = (block: object) => createAuditWriter(newProcess().auditTable)(block)
  const unlinked = (teamId: string) => {
    const { isQuiet: _, ...rest } = entry(teamId)
    return { ...rest, details: {}, at: 1 }
  }
  const linked = (teamId: string, head: ChainHead = EMPTY_CHAIN, more: object = {}) =>
    linkAuditRecord({ ...unlinked(teamId), ...more }, head)

  test("is one intact chain however many processes call it at once", async () => {
    const teamId = newTeam()
    const processes = [reader(), reader()]
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => processes[index % 2]?.audit.record(entry(teamId))),
    )
    const records = await readAll(newProcess(), teamId)
    expect(records).toHaveLength(20)
    expect(isIntact(records)).toBe(true)
  })

  test("writes what several processes have waiting, once, and each finds its own records", async () => {
    const teamId = newTeam()
    const ids = ["a", "b", "c", "d"]
    const found = await Promise.all(
      ids.map(async (id) => {
        const record = { ...unlinked(teamId), target: { type: "app", id }, at: Date.now() }
        const dependencies = { table: callingTable(), wallClock: Date.now, random: Math.random }
        return (await commitInGroup(dependencies, teamId, [record], ids.length))?.records
      }),
    )
    const records = await readAll(newProcess(), teamId)
    expect(found.flat().toSorted((left, right) => (right?.seq ?? 0) - (left?.seq ?? 0))).toEqual(records)
    expect(records.map(({ target }) => target.id).sort()).toEqual(ids)
    expect(isIntact(records)).toBe(true)
  })

  test("keeps nothing of another team in a group, and writes no block whose members it cannot tell apart", async () => {
    const teamId = newTeam()
    const waiting = { id: "a", records: [unlinked(newTeam())] }
    await expect(write({ teamId, slot: 1, waiting })).rejects.toThrow(z.ZodError)
    const group = { slot: 1, members: [{ id: "a", count: 2 }] }
    await expect(write({ attempt: "a", records: [linked(teamId)], group })).rejects.toThrow(z.ZodError)
    expect(await readAll(newProcess(), teamId)).toEqual([])
  })

  test("has a record once when the answer to its writing was lost", async () => {
    const teamId = newTeam()
    const { audit } = reader()
    let answers = 0
    isAnswered = () => answers++ > 0
    await audit.record(entry(teamId))
    expect(answers).toBe(2)
    expect(await readAll(newProcess(), teamId)).toHaveLength(1)
  })

  test("refuses a block that replaces one, lies within one, leaves a gap, or does not continue the chain", async () => {
    const teamId = newTeam()
    const first = linked(teamId)
    const second = linked(teamId, first)
    const third = linked(teamId, second)
    expect(await write({ attempt: "a", records: [first, second] })).toEqual({ isWritten: true })
    for (const records of [
      [linked(teamId, EMPTY_CHAIN, { at: 2 })],
      [linked(teamId, first, { at: 2 })],
      [linked(teamId, third)],
      [linked(teamId, { seq: 2, hash: first.hash })],
      [{ ...third, action: "app.delete" }],
      [third, linked(newTeam(), third)],
    ]) {
      expect(await write({ attempt: "b", records })).toEqual({ isWritten: false })
    }
    expect((await readAll(newProcess(), teamId)).map(({ hash }) => hash)).toEqual([second.hash, first.hash])
    expect(await write({ attempt: "b", records: [third] })).toEqual({ isWritten: true })
  })

  test("takes no record that its readers could not read or verify, so that nobody can end a team's log", async () => {
    const teamId = newTeam()
    const unreadable = linked(teamId, EMPTY_CHAIN, { at: "x" })
    await expect(write({ attempt: "a", records: [unreadable] })).rejects.toThrow("records")
    const unknown = linked(teamId, EMPTY_CHAIN, { member: "x" })
    expect(await write({ attempt: "a", records: [unknown] })).toEqual({ isWritten: false })
    await newProcess().audit.record(entry(teamId))
    expect(isIntact(await readAll(newProcess(), teamId))).toBe(true)
  })

  test("says nothing of what a failed function answered, and counts as unavailable", async () => {
    const { audit } = reader()
    const failure = await audit
      .record({ ...entry(newTeam()), target: { type: "x".repeat(500_000), id: "app_1" } })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: "FunctionFailed", $metadata: { httpStatusCode: 500 } })
    expect(String(failure)).not.toContain("a secret")
  })
})

describe("a change that must be audited", () => {
  const failing = (write: Table["create"]) => {
    const { clients } = createCloudClients(cloud)
    const table = clients.openTable(AUDIT_TABLE.name, () => 0)
    const events = { publish: async () => undefined, forget: () => undefined }
    return createAuditLog({
      table: createAuditTable({ ...table, create: write }),
      events,
      wallClock: () => 0,
    })
  }

  test("is not made when it cannot be recorded", async () => {
    const down = failing(() => Promise.reject(new Error("The table cannot be reached")))
    let isMade = false
    const change = audited(down, entry(newTeam()), async () => {
      isMade = true
    })
    await expect(change).rejects.toThrow("The table cannot be reached")
    expect(isMade).toBe(false)
  })

  test("is refused with service-unavailable when others are always faster", async () => {
    const beaten = failing(async () => false)
    await expect(beaten.record(entry(newTeam()))).rejects.toMatchObject({ code: "service-unavailable" })
  })

  test("is recorded as failed too when it then fails", async () => {
    const teamId = newTeam()
    const platform = newProcess()
    const change = audited(platform.audit, entry(teamId), () => Promise.reject(new Error("Lost a race")))
    await expect(change).rejects.toThrow("Lost a race")
    const actions = (await readAll(platform, teamId)).map(({ action }) => action)
    expect(actions).toEqual(["app.update.failed", "app.update"])
  })
})
