import { createRequire } from "node:module"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { deployFunction } from "../support/functions.ts"
import { useService } from "../support/service.ts"

/** The parts of the client used here: https://www.npmjs.com/package/@evervault/sdk */
interface Client {
  encrypt(data: unknown): Promise<unknown>
  run(name: string, payload: object): Promise<{ id: string; status: string; result: unknown }>
  createRunToken(name: string, payload: object): Promise<{ token: string }>
}
type ClientClass = new (appId: string, apiKey: string) => Client

const service = useService()
let sdk: Client

beforeAll(async () => {
  // The client reads the address when it is loaded.
  vi.stubEnv("EV_API_URL", service.url)
  const Loaded = createRequire(import.meta.url)("@evervault/sdk") as ClientClass
  sdk = new Loaded(service.sandbox.auth.user, service.sandbox.auth.key)
  const index = `export const handler = async (payload) => {
  if (payload.fail) throw new TypeError(payload.fail)
  if (payload.hang) await new Promise((resolve) => setTimeout(resolve, 60_000))
  return { seen: payload }
}`
  await deployFunction(service, "charge", "index.mjs", index, { timeoutSeconds: 1 })
})

describe("@evervault/sdk", () => {
  test("runs a function on what it has encrypted, and gets its result", async () => {
    const payload = {
      card: await sdk.encrypt("4242424242424242"),
      amount: await sdk.encrypt(12.5),
      note: "plain",
    }
    expect(await sdk.run("charge", payload)).toMatchObject({
      id: expect.stringMatching(/^func_run_/),
      status: "success",
      result: { seen: { card: "4242424242424242", amount: 12.5, note: "plain" } },
    })
  })

  test("throws what the function has thrown as FunctionRuntimeError, with message, stack and run", async () => {
    await expect(sdk.run("charge", { fail: "declined" })).rejects.toMatchObject({
      type: "FunctionRuntimeError",
      message: "declined",
      stack: expect.stringContaining("index.mjs"),
      id: expect.stringMatching(/^func_run_/),
    })
  })

  test("throws FunctionTimeoutError when the function does not end in time", async () => {
    await expect(sdk.run("charge", { hang: true })).rejects.toMatchObject({
      type: "FunctionTimeoutError",
      message: expect.stringContaining("time limit"),
    })
  })

  test("throws FunctionNotReadyError for a function that is not ready", async () => {
    const { configTable } = service.service.platform
    const key = { pk: `app#${service.sandbox.app.id}`, sk: "function#charge" }
    const record = await configTable.get(key)
    if (record === null) throw new Error("The function is not stored")
    const id = "func_00000000000000000000000000"
    await configTable.put(
      { ...key, sk: "function#not-ready" },
      { ...record, id, name: "not-ready", active: null, status: "deploying", revision: 1 },
    )
    await expect(sdk.run("not-ready", {})).rejects.toMatchObject({ type: "FunctionNotReadyError" })
  })

  test("issues a run token with which a page runs the function on this payload, once", async () => {
    const payload = { card: await sdk.encrypt("4242424242424242") }
    const { token } = await sdk.createRunToken("charge", payload)
    const run = (body: unknown) =>
      service.post(
        "/functions/charge/runs",
        { payload: body },
        { auth: null, headers: { authorization: `RunToken ${token}` } },
      )
    expect((await run({ ...payload, more: 1 })).status).toBe(403)
    const answer = await run(payload)
    expect(answer.json).toMatchObject({ status: "success", result: { seen: { card: "4242424242424242" } } })
    expect((await run(payload)).status).toBe(403)
  })
})
