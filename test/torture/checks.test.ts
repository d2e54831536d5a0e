import { once } from "node:events"
import { createServer } from "node:http"
import { Sealway } from "@sealway/sdk"
import { beforeAll, expect, onTestFinished, test } from "vitest"
import * as z from "zod"
import { send } from "../../scripts/torture/caller.ts"
import { checkEnrolments } from "../../scripts/torture/check-enrolments.ts"
import { checkFiles } from "../../scripts/torture/check-files.ts"
import { checkRecords } from "../../scripts/torture/check-records.ts"
import { checkTokens } from "../../scripts/torture/check-secrets.ts"
import { checkSubjects } from "../../scripts/torture/check-subjects.ts"
import { measureDelays } from "../../scripts/torture/delays.ts"
import type { Finding } from "../../scripts/torture/findings.ts"
import { KINDS } from "../../scripts/torture/kinds.ts"
import {
  createLedger,
  type Ledger,
  type LedgerFile,
  type LedgerRecord,
  type LedgerSubject,
  type SealedValues,
} from "../../scripts/torture/ledger.ts"
import type { Receivers } from "../../scripts/torture/receivers.ts"
import type { Reachable } from "../../scripts/torture/tortured-service.ts"
import { contentOf } from "../../scripts/torture/work-files.ts"
import { MERCHANT } from "../support/payment-requests.ts"
import { useService } from "../support/service.ts"

const service = useService()
const ROLE = KINDS.find(({ name }) => name === "role") ?? KINDS[0]

let reachable: Reachable
let ledger: Ledger
let team: Ledger["app"]["auth"]
beforeAll(() => {
  const { url } = service
  const ready = {
    url,
    relayUrl: "",
    proxyUrl: "",
    strictProxyUrl: "",
    caUrl: "",
    dataFolder: "",
    teamId: "",
    teamKey: "",
    apps: [],
  }
  reachable = { ready: async () => ready }
  team = service.team.auth
  const { app, auth } = service.sandbox
  ledger = createLedger({
    app: { id: app.id, auth },
    receivers: { quick: "/quick/0", others: [] },
    setupEvents: new Set(),
    quickEndpoint: "",
    relayDomain: "",
    hasUndo: false,
    strict: { token: "", answered: 0, unanswered: 0 },
  })
})

async function createRole(slug: string): Promise<string> {
  const { json } = await service.post("/data-roles", { slug, name: slug })
  return String(Object(json).id)
}

function record(slug: string, changes: Partial<LedgerRecord>): LedgerRecord {
  const body = { slug, name: slug }
  const request = { body, idempotencyKey: slug }
  return {
    kind: ROLE,
    request,
    id: "none",
    auditTarget: null,
    states: [body],
    isRepeated: false,
    isOpen: false,
    ...changes,
  }
}

async function checkRoles(
  records: readonly LedgerRecord[],
): Promise<{ roles: Finding | undefined; madeTwice: Finding }> {
  const { findings, madeTwice } = await checkRecords(reachable, team, [{ ...ledger, records: [...records] }])
  return { roles: findings.find(({ what }) => what === "role"), madeTwice }
}

test("finds records as they were acknowledged, deleted ones gone, and both allowed where no answer came", async () => {
  const id = await createRole("kept")
  const { roles } = await checkRoles([
    record("kept", { id }),
    record("deleted", { states: [null] }),
    record("open", { states: [{ slug: "open" }, null], isOpen: true }),
  ])
  expect(roles).toMatchObject({ acknowledged: 3, lost: 0, wrong: 0, doubled: 0 })
})

test("reports what is lost, what differs from what was acknowledged, and what exists though it was deleted", async () => {
  const [changed, undeleted] = [await createRole("changed"), await createRole("undeleted")]
  const { roles } = await checkRoles([
    record("missing", {}),
    record("changed", { id: changed, states: [{ slug: "changed", name: "Other" }] }),
    record("undeleted", { id: undeleted, states: [null] }),
  ])
  expect(roles).toMatchObject({ acknowledged: 3, lost: 1, wrong: 2 })
})

test("reports duplicates, separately where a creation was repeated", async () => {
  await createRole("twice")
  const acknowledged = record("twice", { id: "data_role_other", states: [null] })
  expect((await checkRoles([acknowledged])).roles).toMatchObject({ doubled: 1 })
  const { roles, madeTwice } = await checkRoles([{ ...acknowledged, isRepeated: true }])
  expect(roles).toMatchObject({ doubled: 0 })
  expect(madeTwice).toMatchObject({ acknowledged: 1, doubled: 1 })
})

test("reports tokens that do not open, and those that open to something else", async () => {
  const values = ["a", "b", "c"]
  const { json } = await service.post("/encrypt", values)
  const [a, b, c] = Array.isArray(json) ? json : []
  const broken = `${String(c).slice(0, -6)}AAAA:$`
  const sealed = [
    { tokens: [a, b], values: ["a", "other"] },
    { tokens: [broken, "not a token"], values: ["c", "not a token"] },
  ]
  const [tokens] = await checkTokens(reachable, [{ ...ledger, sealed }])
  expect(tokens).toMatchObject({ acknowledged: 4, lost: 3 })
})

test("reports data subjects that open though they were erased, in part, or not though they were kept", async () => {
  const seal = async (person: string, value: string) => {
    const headers = { "x-service-data-subject": person }
    const { json } = await service.post("/encrypt", { values: [value] }, { headers })
    return { tokens: Object(json).values, values: [value] }
  }
  const [kept, erased] = [await seal("kept", "a"), await seal("erased", "b")]
  const headers = { "x-service-data-subject": "erased" }
  const { json } = await service.get("/data-subjects", { headers })
  const id = String(Object(json).data[0].id)
  expect((await service.delete(`/data-subjects/${id}`)).status).toBe(200)
  const subject = (state: LedgerSubject["state"], ...sealed: SealedValues[]): LedgerSubject => ({
    person: "person",
    id,
    sealed,
    state,
    changedAt: 0,
  })
  const check = async (...subjects: LedgerSubject[]) => checkSubjects(reachable, [{ ...ledger, subjects }])
  const right = await check(subject("open", kept), subject("erased", erased), subject("unknown", erased))
  expect(right).toMatchObject({ acknowledged: 3, lost: 0, wrong: 0 })
  const other = { ...kept, values: ["other"] }
  const wrong = await check(
    subject("erased", kept),
    subject("open", erased),
    subject("unknown", kept, erased),
    subject("unknown", other),
  )
  expect(wrong).toMatchObject({ acknowledged: 4, lost: 1, wrong: 3 })
})

test("reports files that are gone, damaged, or there though they were deleted", async () => {
  const { user: appId, key: apiKey } = service.sandbox.auth
  const { files } = new Sealway({ appId, apiKey, baseUrl: service.url })
  const upload = async (name: string) => {
    const file = { name, size: 100 }
    const { id } = await files.upload(new Blob([contentOf(file)]), { name })
    return { ...file, id, state: "stored" } as const
  }
  const [kept, deleted] = [await upload("kept"), await upload("deleted")]
  expect((await service.delete(`/files/${deleted.id}`)).status).toBe(204)
  const check = (...listed: LedgerFile[]) => checkFiles(reachable, [{ ...ledger, files: listed }])
  const right = await check(
    kept,
    { ...kept, id: null, state: "unknown" },
    { ...deleted, state: "deleted" },
    { ...deleted, name: "never there", id: null, state: "unknown" },
  )
  expect(right).toMatchObject({ acknowledged: 4, lost: 0, wrong: 0 })
  const wrong = await check(deleted, { ...kept, size: 99 }, { ...kept, state: "deleted" })
  expect(wrong).toMatchObject({ acknowledged: 3, lost: 2, wrong: 1 })
})

test("takes an answer that the service cannot give for the moment, as on a full disk, for none", async () => {
  const statuses = [503, 500, 408, 409]
  const server = createServer((_request, response) => {
    const status = statuses.shift() ?? 200
    response.writeHead(status).end(JSON.stringify({ code: `code-of-${status}` }))
  }).listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await once(server, "listening")
  const { port } = z.object({ port: z.number() }).parse(server.address())
  const ready = { ...(await reachable.ready()), url: `http://127.0.0.1:${port}` }
  const ask = () => send({ ready: async () => ready }, { method: "POST", path: "/", auth: team })
  for (const status of [503, 500, 408]) expect(await ask()).toEqual({ kind: "unknown", status })
  expect(await ask()).toEqual({ kind: "refused", status: 409, code: "code-of-409" })
})

test("reports enrolments that are still pending, and those with no event or two", async () => {
  const make = async (name: string) => {
    const { json } = await service.post("/payments/merchants", { ...MERCHANT, name })
    return String(Object(json).id)
  }
  const [pending, untold, told] = [await make("A Pending"), await make("B"), await make("C")]
  const KIND = KINDS.find(({ name }) => name === "merchant") ?? KINDS[0]
  const recordOf = (id: string, name: string): LedgerRecord => {
    const request = { body: { name }, idempotencyKey: name }
    return { ...record(name, { id }), kind: KIND, request }
  }
  const records = [recordOf(pending, "A Slow"), recordOf(untold, "B Slow"), recordOf(told, "C Slow")]
  const arrival = { at: 0, type: "payments.merchant.updated", data: { id: told, updatedAt: 1 } }
  const taken = new Map([
    ["1", arrival],
    ["2", arrival],
  ])
  const finding = await checkEnrolments(reachable, { taken: () => taken }, [{ ...ledger, records }])
  expect(finding).toMatchObject({ acknowledged: 3, lost: 1, wrong: 1, doubled: 1 })
})

test("counts a webhook as late that comes more than a second after its event, unless something was broken meanwhile", () => {
  const taken = new Map([
    ["soon", { at: 10_500, type: "", data: {} }],
    ["late", { at: 11_500, type: "", data: {} }],
    ["meanwhile", { at: 59_000, type: "", data: {} }],
  ])
  const receivers: Pick<Receivers, "taken"> = { taken: () => taken }
  const tests = [
    { id: "soon", at: 10_000, tookMs: 5 },
    { id: "late", at: 10_000, tookMs: 5 },
    { id: "meanwhile", at: 50_000, tookMs: 5 },
  ]
  const delays = measureDelays([{ ...ledger, tests }], receivers, [{ from: 51_000, to: 55_000 }])
  expect(delays).toMatchObject({ measured: 2, late: 1, mostMs: 1_500 })
})
