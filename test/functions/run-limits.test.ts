import type { RunSlot } from "@sealway/functions/testing"
import { createApp } from "@sealway/management"
import { SYSTEM } from "@sealway/records"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { CODE, type FunctionService, startFunctionService } from "./function-service.ts"

const PER_APP = 2
const PER_STAGE = 3
const CHARGE = { function_name: "charge" }

let service: FunctionService
let otherKey: string
let otherAppId: string
beforeAll(async () => {
  service = await startFunctionService({ perApp: PER_APP, perStage: PER_STAGE })
  await service.deploy("charge")
  await service.settled("charge")
  const { platform, team } = service
  const other = await createApp(platform, team.id, { name: "Other", environment: "sandbox" }, SYSTEM)
  otherAppId = other.id
  otherKey = await service.newKey(["*"], other)
})
afterAll(() => service[Symbol.asyncDispose]())

/** Adds runs of an app that are in progress in other processes. */
async function inProgress(appId: string, count: number): Promise<() => Promise<unknown>> {
  const slots: (RunSlot | null)[] = []
  for (let index = 0; index < count; index++) slots.push(await service.dependencies.runSlots.take(appId, 30))
  expect(slots).not.toContain(null)
  return () => Promise.all(slots.map((slot) => slot?.release()))
}

describe("a run", () => {
  test("is refused with too-many-requests and Retry-After while the app has its maximum, and not after", async () => {
    const end = await inProgress(service.app.id, PER_APP)
    const refused = await service.run("charge", { payload: {} })
    expect(refused).toMatchObject({ status: 429, json: { code: "too-many-requests" } })
    expect(refused.headers["retry-after"]).toBe("1")
    expect(service.calls).toEqual([])
    await end()
    expect((await service.run("charge", { payload: {} })).status).toBe(200)
  })

  test("is refused with too-many-requests while all apps together have the stage's maximum", async () => {
    const ends = [await inProgress(otherAppId, PER_APP), await inProgress("app_third", PER_STAGE - PER_APP)]
    const refused = await service.run("charge", { payload: {} })
    expect(refused).toMatchObject({ status: 429, json: { code: "too-many-requests" } })
    for (const end of ends) await end()
    expect((await service.run("charge", { payload: {} })).status).toBe(200)
  })

  test("of one app continues while another has its maximum", async () => {
    const end = await inProgress(service.app.id, PER_APP)
    await service.call("deploy-function", {
      key: otherKey,
      body: { name: "charge", language: "node@24", handler: "index.mjs", code: CODE },
    })
    await expect
      .poll(async () => (await service.call("get-function", { key: otherKey, path: CHARGE })).json)
      .toMatchObject({ status: "ready" })
    expect((await service.run("charge", { payload: {} }, { key: otherKey })).status).toBe(200)
    await end()
  })

  test("opens nothing when it is refused: a budget is not spent", async () => {
    await service.call("create-data-role", { body: { slug: "pci", name: "Cards" } })
    const conditions = { budget: { values: 1, per: "day" } }
    await service.call("create-data-policy", {
      body: { name: "One", effect: "permit", roles: ["pci"], conditions },
    })
    const { json: card } = await service.call("encrypt", {
      body: '"4242"',
      headers: { "x-service-data-role": "pci" },
    })
    const end = await inProgress(service.app.id, PER_APP)
    for (let times = 0; times < 3; times++) {
      expect((await service.run("charge", { payload: { card } })).status).toBe(429)
    }
    await end()
    expect((await service.run("charge", { payload: { card } })).status).toBe(200)
  })

  test("frees its place when it fails, is refused or cannot begin", async () => {
    service.settings.behaviour = () => ({ kind: "exited" })
    for (let times = 0; times < 2 * PER_STAGE; times++) {
      expect((await service.run("charge", { payload: {} })).status).toBe(200)
    }
    for (let times = 0; times < 2 * PER_STAGE; times++) {
      const refused = await service.run("charge", { payload: { a: "ev:RFVC:none:$" } })
      expect(refused.json).not.toMatchObject({ code: "too-many-requests" })
    }
    expect(await service.dependencies.runSlots.take(service.app.id, 30)).not.toBeNull()
  })
})
