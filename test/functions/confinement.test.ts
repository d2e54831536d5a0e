import { startLocalService } from "@sealway/local"
import { zipSync } from "fflate"
import { afterAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { basic } from "../support/service.ts"

const OPTIONS = { port: 0, dataFolder: null, hosting: "container" } as const
const exposed = await startLocalService({ ...OPTIONS, confinementLevels: [] })
const trusting = await startLocalService({ ...OPTIONS, confinementLevels: [], unconfinedFunctions: true })
afterAll(async () => {
  await exposed.close()
  await trusting.close()
})

const headers = ({ credentials: { apps } }: typeof exposed) => {
  const [app] = apps
  return {
    authorization: basic({ user: app?.id ?? "", key: app?.apiKey ?? "" }),
    "content-type": "application/json",
  }
}

async function deploy(service: typeof exposed): Promise<void> {
  const code = Buffer.from(zipSync({ "f.mjs": Buffer.from("export const handler = () => 1") })).toString(
    "base64",
  )
  const body = JSON.stringify({ name: "f", language: "node@24", handler: "f.mjs", code })
  const { status } = await fetch(`${service.url}/functions`, {
    method: "POST",
    headers: headers(service),
    body,
  })
  expect(status).toBe(202)
  const state = async () => {
    const answer = await fetch(`${service.url}/functions/f`, { headers: headers(service) })
    return z.object({ status: z.string() }).parse(await answer.json()).status
  }
  await expect.poll(state, { timeout: 20_000 }).toBe("ready")
}

const run = (service: typeof exposed, body: unknown, idempotencyKey = crypto.randomUUID()) =>
  fetch(`${service.url}/functions/f/runs`, {
    method: "POST",
    headers: { ...headers(service), "idempotency-key": idempotencyKey },
    body: JSON.stringify(body),
  })

const health = async (service: typeof exposed) =>
  z.object({ functions: z.unknown() }).parse(await (await fetch(`${service.url}/health`)).json()).functions

describe("where a machine cannot confine functions", () => {
  test("deploys them, and refuses a run with service-unavailable and the option to choose", async () => {
    await deploy(exposed)

    const answer = await run(exposed, { payload: {} })

    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({
      code: "service-unavailable",
      detail: expect.stringContaining("--unconfined-functions"),
    })
  })

  test("lets a refused run be repeated with its Idempotency-Key: it did not run", async () => {
    const key = crypto.randomUUID()
    expect((await run(exposed, { payload: {} }, key)).status).toBe(503)
    expect((await run(exposed, { payload: {} }, key)).status).toBe(503)
  })

  test("reports in GET /health that no language runs", async () => {
    expect(await health(exposed)).toEqual({ confinement: "none", network: "host", languages: [] })
  })

  test("runs them when the operator chose so, and GET /health says so", async () => {
    await deploy(trusting)

    const answer = await run(trusting, { payload: {} })

    expect(await answer.json()).toMatchObject({ status: "success", result: 1 })
    expect(await health(trusting)).toEqual({
      confinement: "none",
      network: "host",
      languages: ["node", "python"],
    })
  })
})
