import { createTeam, issueApiKey } from "@sealway/management"
import { teamPartition } from "@sealway/ports"
import { SYSTEM } from "@sealway/records"
import { type AuditRecord, auditRecordSchema, createAuditChainVerifier } from "@sealway/records/audit-chain"
import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()
const pageSchema = z.object({
  data: z.array(auditRecordSchema),
  hasMore: z.boolean(),
  continueAfter: z.string().nullable(),
})

const page = async (query: string) => {
  const answer = await service.get(`/audit-logs${query}`, { auth: service.team.auth })
  expect(answer.status).toBe(200)
  return pageSchema.parse(answer.json)
}

async function everything(query = "?limit=7"): Promise<AuditRecord[]> {
  const records: AuditRecord[] = []
  for (let after = "", hasMore = true; hasMore; ) {
    const found = await page(query + after)
    records.push(...found.data)
    after = `&startingAfter=${found.continueAfter}`
    hasMore = found.hasMore
  }
  return records
}

let appId: string
let keyId: string

beforeAll(async () => {
  const asTeam = { auth: service.team.auth }
  const ids = z.object({ id: z.string() })
  const body = { name: "Audited", environment: "sandbox" }
  appId = ids.parse((await service.post("/apps", body, asTeam)).json).id
  await service.patch(`/apps/${appId}`, { name: "Renamed" }, asTeam)
  const key = { name: "Key", scopes: ["api:decrypt"] }
  keyId = ids.parse((await service.post(`/apps/${appId}/api-keys`, key, asTeam)).json).id
  await service.post(`/apps/${appId}/keys/rotate`, undefined, asTeam)
  await service.delete(`/apps/${appId}/api-keys/${keyId}`, asTeam)
})

describe("GET /audit-logs", () => {
  test("lists every change since the team was created: who, what, when and from where", async () => {
    const records = await everything()
    expect(records.map(({ action }) => action).reverse()).toEqual([
      "team.create",
      "app.create",
      "app.create",
      "team-key.create",
      "api-key.create",
      "api-key.create",
      "app.create",
      "app.update",
      "api-key.create",
      "app.rotate-keys",
      "api-key.revoke",
    ])
    const [revoked] = records
    expect(revoked).toMatchObject({
      id: "audit_000000000011",
      seq: 11,
      teamId: service.team.id,
      appId,
      actor: { type: "team-key", id: expect.stringMatching(/^key_/) },
      target: { type: "api-key", id: keyId },
      ip: "127.0.0.1",
      requestId: expect.any(String),
    })
    expect(Math.abs((revoked?.at ?? 0) - Date.now())).toBeLessThan(60_000)
  })

  test("is a chain that anybody who can read it can check", async () => {
    const verifier = createAuditChainVerifier()
    for (const record of (await everything()).reverse()) verifier.add(record)
    expect(verifier.result()).toMatchObject({ state: "intact", head: { seq: 11 } })
  })

  test("reveals an edit of the table to everybody who checks it", async () => {
    const { auditTable } = service.service.platform
    const key = { pk: teamPartition(service.team.id), sk: "audit#000000000008" }
    const item = await auditTable.get(key)
    const records = z.array(auditRecordSchema).parse(item?.records)
    const edited = records.map((record) => ({ ...record, actor: { ...record.actor, id: "key_innocent" } }))
    await auditTable.put(key, { ...item, records: edited })
    try {
      const verifier = createAuditChainVerifier()
      for (const record of (await everything()).reverse()) verifier.add(record)
      expect(verifier.result()).toEqual({ state: "broken", seq: 8, reason: "edited" })
    } finally {
      await auditTable.put(key, { ...item })
    }
  })

  test("filters by app, action, actor and time", async () => {
    const all = await everything()
    const actions = async (query: string) => (await everything(query)).map(({ action }) => action)
    expect(await actions(`?appId=${appId}&limit=2`)).toEqual([
      "api-key.revoke",
      "app.rotate-keys",
      "api-key.create",
      "app.update",
      "app.create",
    ])
    expect(await actions("?action=app.rotate-keys")).toEqual(["app.rotate-keys"])
    expect(await actions("?action=team*")).toEqual(["team-key.create", "team.create"])
    expect(await actions("?actorId=sealway")).toHaveLength(6)
    const [newest, next] = all
    expect(await actions(`?from=${newest?.at}`)).toContain("api-key.revoke")
    expect(await actions(`?to=${next?.at}`)).not.toContain("api-key.revoke")
    expect(await actions("?action=nothing.such")).toEqual([])
  })

  test.each([
    "limit=0",
    "limit=101",
    "startingAfter=app_0123456789abcdef",
    "startingAfter=audit_1",
    "action=A%20B",
    "from=yesterday",
    "unknown=1",
  ])("refuses ?%s", async (query) => {
    const answer = await service.get(`/audit-logs?${query}`, { auth: service.team.auth })
    expectProblem(answer, "invalid-request")
  })

  test("shows a team only its own log", async () => {
    const { platform } = service.service
    const other = await createTeam(platform, "Another team", SYSTEM)
    const { key } = await issueApiKey(
      platform,
      { kind: "team", teamId: other.id, appId: null, name: "Key", scopes: [], expiresAt: null },
      SYSTEM,
    )
    const answer = await service.get("/audit-logs?limit=100", { auth: { user: other.id, key } })
    const { data } = pageSchema.parse(answer.json)
    expect(new Set(data.map(({ teamId }) => teamId))).toEqual(new Set([other.id]))
    expect(answer.text).not.toContain(key)
  })
})

describe("a refused decryption", () => {
  test("is recorded when the key lacks the scope", async () => {
    const auth = await service.newKey(service.sandbox.app, ["api:fingerprint"])
    expectProblem(await service.post("/decrypt", '"x"', { auth }), "forbidden")
    const { data } = await page("?limit=1")
    expect(data).toMatchObject([
      { action: "decryption.refused", appId: service.sandbox.app.id, details: { code: "forbidden" } },
    ])
  })

  test("is recorded with the role, and not the value, when the role has no policies", async () => {
    await service.newRole(service.sandbox.app, "pci")
    const headers = { "x-service-data-role": "pci" }
    const token = String((await service.post("/encrypt", '"marker"', { headers })).json)
    expectProblem(await service.post("/decrypt", { a: [token] }), "decrypt/forbidden")
    const { data } = await page("?limit=1")
    expect(data).toMatchObject([
      {
        action: "decryption.refused",
        actor: { type: "api-key" },
        details: { code: "decrypt/forbidden", role: "pci", reason: "no-policy-permits" },
      },
    ])
    expect(JSON.stringify(data)).not.toContain("marker")
    expect(JSON.stringify(data)).not.toContain(token)
  })

  test("answers service-unavailable, and is still refused, when it cannot be recorded", async () => {
    const { auditTable } = service.service.platform
    const head = (await page("?limit=1")).data[0]?.seq ?? 0
    const next = String(head + 1).padStart(12, "0")
    // Occupies the place of the next record, so that it cannot be written.
    const key = { pk: teamPartition(service.team.id), sk: `audit#${next}` }
    await auditTable.create(key, { records: [], revision: 1 })
    try {
      const headers = { "x-service-data-role": "pci" }
      const sealed = await service.post("/encrypt", '"x"', { headers })
      const answer = await service.post("/decrypt", sealed.text)
      expect(answer.status).toBeGreaterThanOrEqual(500)
      expect(answer.text).not.toContain('"x"')
      const change = await service.patch("/team", { name: "Unrecorded" }, { auth: service.team.auth })
      expect(change.status).toBeGreaterThanOrEqual(500)
    } finally {
      await auditTable.remove(key, 1)
    }
    const { json } = await service.get("/team", { auth: service.team.auth })
    expect(json).not.toMatchObject({ name: "Unrecorded" })
  })
})
