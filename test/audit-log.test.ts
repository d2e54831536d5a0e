import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import {
  type AuditEntry,
  audited,
  createAuditLog,
  createPlatform,
  EVENTS_TABLE,
  type Platform,
  QUEUES,
  SYSTEM,
  TABLES,
  type Table,
} from "@sealway/platform"
import { type AuditRecord, createAuditChainVerifier } from "@sealway/platform/audit-chain"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

let cloud: EmbeddedCloud
let calls = 0
let teams = 0

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  await ensureStageKey(createCloudClients(cloud).clients.kms)
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

describe("a change that must be audited", () => {
  const failing = (write: Table["create"]) => {
    const { clients } = createCloudClients(cloud)
    const table = clients.openTable(EVENTS_TABLE.name, () => 0)
    const events = { publish: async () => undefined, forget: () => undefined }
    return createAuditLog({ table: { ...table, create: write }, events, wallClock: () => 0 })
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
