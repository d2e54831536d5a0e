import { beforeAll, expect, test } from "vitest"
import { checkEnrolments } from "../../scripts/torture/check-enrolments.ts"
import { checkRecords } from "../../scripts/torture/check-records.ts"
import { checkTokens } from "../../scripts/torture/check-secrets.ts"
import { measureDelays } from "../../scripts/torture/delays.ts"
import type { Finding } from "../../scripts/torture/findings.ts"
import { KINDS } from "../../scripts/torture/kinds.ts"
import { createLedger, type Ledger, type LedgerRecord } from "../../scripts/torture/ledger.ts"
import type { Receivers } from "../../scripts/torture/receivers.ts"
import type { Reachable } from "../../scripts/torture/tortured-service.ts"
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
