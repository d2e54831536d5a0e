import { createApp, createTeam, issueApiKey } from "@sealway/management"
import { SYSTEM } from "@sealway/records"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem, pointersOf } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

/** Stops the clock of caches and records between requests. */
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["performance", "Date"], now: Date.now() })
})
afterAll(() => {
  vi.useRealTimers()
})
const later = (ms: number) => vi.advanceTimersByTime(ms)

const service = useService()
const PATH = "/payments/bin-tables"
const NDJSON = "application/x-ndjson"

const tableSchema = z.object({ id: z.string(), status: z.string(), rows: z.number() })
const asTeam = (): CallOptions => ({ auth: service.team.auth })

async function create(name = "Ranges"): Promise<string> {
  later(1)
  return tableSchema.parse((await service.post(PATH, { name }, asTeam())).json).id
}
const get = async (id: string) => tableSchema.parse((await service.get(`${PATH}/${id}`, asTeam())).json)
const put = (
  id: string,
  from: number | string,
  rows: readonly object[] | string,
  options: CallOptions = {},
) => {
  const text = typeof rows === "string" ? rows : rows.map((each) => JSON.stringify(each)).join("\n")
  return service.call("PUT", `${PATH}/${id}/rows?from=${from}`, text, {
    ...asTeam(),
    contentType: NDJSON,
    ...options,
  })
}
const activate = (id: string) => service.post(`${PATH}/${id}/activate`, undefined, asTeam())
const remove = (id: string) => service.delete(`${PATH}/${id}`, asTeam())
const row = (digits: string, facts: object = {}) => ({ from: digits, to: digits, brand: "visa", ...facts })
const lookUp = async (number: string) => (await service.post("/payments/bin-lookups", { number })).json

/** Imports a table that can be activated. */
async function importedTable(issuer: string): Promise<string> {
  const id = await create(issuer)
  expect((await put(id, 0, [row("400000", { issuer })])).status).toBe(200)
  return id
}

async function deleteAll(): Promise<void> {
  const list = z.object({ data: z.array(tableSchema) })
  for (const { id, status } of list.parse((await service.get(`${PATH}?limit=100`, asTeam())).json).data) {
    if (status !== "active") await remove(id)
  }
}

describe("BIN tables", () => {
  test("are created, listed newest first, shown and deleted", async () => {
    const made = await service.post(PATH, { name: "Ranges of May" }, asTeam())
    expect(made.status).toBe(201)
    expect(made.json).toEqual({
      id: expect.stringMatching(/^bin_table_[0-9a-z]{26}$/),
      name: "Ranges of May",
      status: "importing",
      rows: 0,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    })
    const { id } = tableSchema.parse(made.json)
    expect((await service.get(`${PATH}/${id}`, asTeam())).json).toEqual(made.json)
    const second = await create("Another")
    const { json } = await service.get(`${PATH}?limit=1`, asTeam())
    expect(json).toMatchObject({ data: [{ id: second }], hasMore: true })
    for (const each of [id, second]) expect((await remove(each)).status).toBe(204)
    expectProblem(await service.get(`${PATH}/${id}`, asTeam()), "not-found")
    expectProblem(await remove(id), "not-found")
  })

  test("accept rows in parts and report the progress, also when a part is sent again", async () => {
    const id = await create()
    expect((await put(id, 0, [row("400000"), row("400001")])).json).toEqual({ rows: 2 })
    expect((await put(id, 0, [row("400000"), row("400001")])).json).toEqual({ rows: 2 })
    expect((await put(id, 1, [row("400001"), row("400002")])).json).toEqual({ rows: 3 })
    expect((await put(id, 3, "\n")).json).toEqual({ rows: 3 })
    expect((await get(id)).rows).toBe(3)
    await remove(id)
  })

  test("serve look-ups once active, and the previous one serves them again after a rollback", async () => {
    const first = await importedTable("First Bank")
    const second = await importedTable("Second Bank")
    expect((await activate(first)).json).toMatchObject({ id: first, status: "active" })
    later(10_001)
    expect(await lookUp("4000001234")).toMatchObject({ issuer: "First Bank", matchPrecision: 6 })
    expect(await lookUp("424242")).toMatchObject({ type: null, matchPrecision: 0 })
    await activate(second)
    expect((await get(first)).status).toBe("inactive")
    later(20_002)
    expect(await lookUp("4000001234")).toMatchObject({ issuer: "Second Bank" })
    await activate(first)
    later(40_004)
    expect(await lookUp("4000001234")).toMatchObject({ issuer: "First Bank" })
    expect((await remove(second)).status).toBe(204)
  })

  test("do not serve other teams", async () => {
    await activate(await importedTable("Ours"))
    const { platform } = service.service
    const team = await createTeam(platform, "Other", SYSTEM)
    const owner = { teamId: team.id, name: "Key", expiresAt: null }
    const teamKey = await issueApiKey(platform, { ...owner, kind: "team", appId: null, scopes: [] }, SYSTEM)
    const app = await createApp(platform, team.id, { name: "App", environment: "sandbox" }, SYSTEM)
    const wanted = { ...owner, kind: "sandbox", appId: app.id, scopes: ["*"] } as const
    const { key } = await issueApiKey(platform, wanted, SYSTEM)
    const auth = { user: app.id, key }
    const { json } = await service.post("/payments/bin-lookups", { number: "424242" }, { auth })
    expect(json).toMatchObject({ issuer: "Test Bank" })

    const ours = await create()
    const theirs = { auth: { user: team.id, key: teamKey.key } }
    expect((await service.get(PATH, theirs)).json).toMatchObject({ data: [] })
    expectProblem(await service.get(`${PATH}/${ours}`, theirs), "not-found")
    expectProblem(await service.post(`${PATH}/${ours}/activate`, undefined, theirs), "not-found")
    expectProblem(await service.delete(`${PATH}/${ours}`, theirs), "not-found")
    expectProblem(await put(ours, 0, [row("400000")], { auth: theirs.auth }), "not-found")
    await remove(ours)
  })

  test("are audited when they are created, activated and deleted", async () => {
    const id = await importedTable("Bank")
    const other = await importedTable("Other Bank")
    await activate(id)
    await activate(other)
    later(20_001)
    await remove(id)
    const { json } = await service.get("/audit-logs?limit=20", asTeam())
    const list = z.object({
      data: z.array(
        z.object({ action: z.string(), target: z.object({ id: z.string() }), details: z.unknown() }),
      ),
    })
    const found = list.parse(json).data.filter(({ target }) => target.id === id)
    expect(found.map(({ action }) => action)).toEqual([
      ...["bin-table.delete", "bin-table.activate", "bin-table.create"],
    ])
    expect(found[1]?.details).toEqual({ rows: 1 })
  })
})

describe("a BIN table is refused", () => {
  let id = ""
  beforeAll(async () => {
    await deleteAll()
    id = await create()
  })

  test.each([
    [{}, "/name"],
    [{ name: "" }, "/name"],
    [{ name: "x".repeat(101) }, "/name"],
    [{ name: "two\nlines" }, "/name"],
    [{ name: "x", rows: 1 }, ""],
  ])("with invalid-request when it is %j", async (body, pointer) => {
    const answer = await service.post(PATH, body, asTeam())
    expectProblem(answer, "invalid-request")
    expect(pointersOf(answer)).toEqual([pointer])
  })

  test.each(["", "?from=", "?from=-1", "?from=1.5", "?from=10000000", "?from=0&to=1"])(
    "with invalid-request when the query of rows is %j",
    async (query) => {
      const options = { ...asTeam(), contentType: NDJSON }
      expectProblem(await service.call("PUT", `${PATH}/${id}/rows${query}`, "", options), "invalid-request")
    },
  )

  test("with invalid-request naming the line of a bad row, not its content", async () => {
    const rows = [row("400000"), row("400001", { country: "secretmarker" })]
    const answer = await put(id, 0, rows)
    expectProblem(answer, "invalid-request")
    expect(pointersOf(answer)).toEqual(["/1/country"])
    expect(answer.text).not.toContain("secretmarker")
    expect((await get(id)).rows).toBe(0)
  })

  test("with payload-too-large for rows beyond 4 MB, and not for 4 MB", async () => {
    const line = `${" ".repeat(1023)}\n`
    expect((await put(id, 0, line.repeat(4 * 1024))).status).toBe(200)
    expectProblem(await put(id, 0, `${line.repeat(4 * 1024)}\n`), "payload-too-large")
  })

  test("with unsupported-media-type when rows are not NDJSON", async () => {
    for (const contentType of ["application/json", "text/csv", null]) {
      expectProblem(await put(id, 0, [row("400000")], { contentType }), "unsupported-media-type")
    }
  })

  test("with invalid-request when rows are not UTF-8", async () => {
    const options = { ...asTeam(), contentType: NDJSON }
    const answer = await service.call("PUT", `${PATH}/${id}/rows?from=0`, Buffer.of(0xff), options)
    expectProblem(answer, "invalid-request")
  })

  test("with conflict when earlier rows are missing, and for rows after its activation", async () => {
    expectProblem(await put(id, 5, [row("400000")]), "conflict")
    const done = await importedTable("Bank")
    await activate(done)
    expectProblem(await put(done, 1, [row("400001")]), "conflict")
  })

  test("with conflict when it is activated without rows, and when the active one is deleted", async () => {
    expectProblem(await activate(id), "conflict")
    const active = await importedTable("Bank")
    await activate(active)
    expectProblem(await remove(active), "conflict")
    const next = await importedTable("Next")
    await activate(next)
    const refused = await remove(active)
    expectProblem(refused, "conflict")
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  test("with unauthorized without credentials, and with forbidden for an app's key", async () => {
    for (const [auth, code] of [
      [null, "unauthorized"],
      [service.sandbox.auth, "forbidden"],
    ] as const) {
      expectProblem(await service.post(PATH, { name: "x" }, { auth }), code)
      expectProblem(await service.get(PATH, { auth }), code)
      expectProblem(await service.get(`${PATH}/${id}`, { auth }), code)
      expectProblem(await put(id, 0, [row("400000")], { auth }), code)
      expectProblem(await service.post(`${PATH}/${id}/activate`, undefined, { auth }), code)
      expectProblem(await service.delete(`${PATH}/${id}`, { auth }), code)
    }
  })

  test("with conflict when the team has ten, also when many are created at once", async () => {
    later(60_000)
    await deleteAll()
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => service.post(PATH, { name: "x" }, asTeam())),
    )
    for (const answer of answers.filter(({ status }) => status !== 201)) expectProblem(answer, "conflict")
    const { json } = await service.get(`${PATH}?limit=100`, asTeam())
    expect(z.object({ data: z.array(z.unknown()) }).parse(json).data.length).toBeLessThanOrEqual(10)
    for (let more = 0; more < 10; more++) await service.post(PATH, { name: "x" }, asTeam())
    expectProblem(await service.post(PATH, { name: "x" }, asTeam()), "conflict")
    const full = await service.get(`${PATH}?limit=100`, asTeam())
    expect(z.object({ data: z.array(z.unknown()) }).parse(full.json).data.length).toBe(10)
  })
})
