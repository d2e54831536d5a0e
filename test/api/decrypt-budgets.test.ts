import { describe, expect, test } from "vitest"
import { expectProblem } from "../support/problem.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()

/** Creates an app with a role whose policy permits some values a day, and a way to make tokens of it. */
async function newApp(values: number, role = "pci") {
  const { app, auth } = await service.newApp("sandbox")
  await service.post("/data-roles", { slug: role, name: "A role" }, { auth })
  const policy = {
    name: "Some",
    effect: "permit",
    roles: [role],
    conditions: { budget: { values, per: "day" } },
  }
  expect((await service.post("/data-policies", policy, { auth })).status).toBe(201)
  return { app, auth, role, tokens: (count: number, slug = role) => tokens(auth, slug, count) }
}

async function tokens(auth: Identity["auth"], role: string, count: number): Promise<unknown> {
  const values = Array.from({ length: count }, (_, index) => index)
  return (await service.post("/encrypt", values, { auth, headers: { "x-service-data-role": role } })).json
}

describe("POST /decrypt under a budget", () => {
  test("permits as many values as the budget has, and refuses the next with decrypt/forbidden", async () => {
    const { auth, tokens } = await newApp(7)
    const [four, three, one] = [await tokens(4), await tokens(3), await tokens(1)]
    expect((await service.post("/decrypt", four, { auth })).json).toEqual([0, 1, 2, 3])
    expect((await service.post("/decrypt", three, { auth })).json).toEqual([0, 1, 2])
    const answer = await service.post("/decrypt", one, { auth })
    expectProblem(answer, "decrypt/forbidden")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/0" }] })
  })

  test("refuses a document with more values than are left as a whole, and counts nothing for it", async () => {
    const { auth, tokens } = await newApp(5)
    expectProblem(await service.post("/decrypt", await tokens(6), { auth }), "decrypt/forbidden")
    expect((await service.post("/decrypt", await tokens(5), { auth })).status).toBe(200)
  })

  test("counts per API key", async () => {
    const { app, auth, tokens } = await newApp(2)
    const other = await service.newKey(app, ["api:decrypt"])
    const two = await tokens(2)
    expect((await service.post("/decrypt", two, { auth })).status).toBe(200)
    expect((await service.post("/decrypt", two, { auth: other })).status).toBe(200)
    expectProblem(await service.post("/decrypt", two, { auth }), "decrypt/forbidden")
    expectProblem(await service.post("/decrypt", two, { auth: other }), "decrypt/forbidden")
  })

  test("spends nothing when another role of the document is refused", async () => {
    const { auth, tokens } = await newApp(2)
    await service.post("/data-roles", { slug: "closed", name: "Nobody" }, { auth })
    const both = [await tokens(2), await tokens(1, "closed")]
    expectProblem(await service.post("/decrypt", both, { auth }), "decrypt/forbidden")
    expect((await service.post("/decrypt", await tokens(2), { auth })).status).toBe(200)
  })

  test("does not count values without the role", async () => {
    const { auth, tokens } = await newApp(1)
    const free = (await service.post("/encrypt", ["a", "b", "c"], { auth })).json
    expect((await service.post("/decrypt", [free, await tokens(1)], { auth })).status).toBe(200)
    expect((await service.post("/decrypt", free, { auth })).status).toBe(200)
    expectProblem(await service.post("/decrypt", await tokens(1), { auth }), "decrypt/forbidden")
  })

  test("permits no more than the budget in concurrent requests", async () => {
    const { auth, tokens } = await newApp(250)
    const three = await tokens(3)
    const answers = await Promise.all(
      Array.from({ length: 120 }, () => service.post("/decrypt", three, { auth })),
    )
    const permitted = answers.filter(({ status }) => status === 200).length
    expect(permitted * 3).toBeLessThanOrEqual(250)
    expect(permitted * 3).toBeGreaterThan(200)
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectProblem(answer, "decrypt/forbidden")
  })

  test("makes no call to the table for most requests, and none once the budget is spent", async () => {
    const { auth, tokens } = await newApp(100_000)
    const ten = await tokens(10)
    await service.post("/decrypt", ten, { auth })
    const counts = () => service.awsCalls.filter(({ operation }) => operation === "UpdateItem").length
    const before = counts()
    for (let times = 0; times < 50; times++) await service.post("/decrypt", ten, { auth })
    expect(counts() - before).toBeLessThanOrEqual(2)

    const spent = await newApp(10)
    const rest = await spent.tokens(10)
    await service.post("/decrypt", rest, { auth: spent.auth })
    await service.post("/decrypt", rest, { auth: spent.auth })
    const after = counts()
    for (let times = 0; times < 10; times++) {
      expectProblem(await service.post("/decrypt", rest, { auth: spent.auth }), "decrypt/forbidden")
    }
    expect(counts()).toBe(after)
  })

  test("audits the refusal", async () => {
    const { app, auth, tokens } = await newApp(1)
    await service.post("/decrypt", await tokens(2), { auth })
    const { json } = await service.get("/audit-logs?limit=5", { auth: service.team.auth })
    const { data } = json as { data: { action: string; appId: string | null }[] }
    expect(data[0]).toMatchObject({ action: "decryption.refused", appId: app.id })
  })
})
