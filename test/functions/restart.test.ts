import { expect, test, vi } from "vitest"
import * as z from "zod"
import { codeOf } from "../support/functions.ts"
import { basic } from "../support/service.ts"
import { type Ready, startReady, withFolder } from "../support/start.ts"

const RUNS = 60
const MARKER = "marker-7f3a"
const statusSchema = z.looseObject({ status: z.string() })
const SOURCE = `export const handler = async (payload) => {
  await new Promise((resolve) => setTimeout(resolve, 100))
  return payload
}`

async function call({ url, apps: [app] }: Ready, method: string, path: string, body?: object) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: basic({ user: app?.id ?? "", key: app?.apiKey ?? "" }),
      "content-type": "application/json",
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const json = statusSchema.parse(await response.json())
  expect(response.status, JSON.stringify(json)).toBeLessThan(300)
  return { json, location: response.headers.get("location") ?? "" }
}

test("deploys, after the next start, what was accepted before the process was killed", () =>
  withFolder(async (folder) => {
    const first = await startReady(folder)
    const code = codeOf({ "index.mjs": "export const handler = async (payload) => payload" })
    const names = Array.from({ length: 5 }, (_, n) => `echo-${n}`)
    await Promise.all(
      names.map((name) =>
        call(first.ready, "POST", "/functions", { name, language: "node@24", handler: "index.mjs", code }),
      ),
    )
    await first.stop("SIGKILL")

    const second = await startReady(folder)
    for (const [n, name] of names.entries()) {
      await vi.waitFor(async () => {
        expect((await call(second.ready, "GET", `/functions/${name}`)).json.status).toBe("ready")
      }, 20_000)
      const { json } = await call(second.ready, "POST", `/functions/${name}/runs`, { payload: { n } })
      expect(json).toMatchObject({ status: "success", result: { n } })
    }
    await second.stop()
  }))

test("ends all runs that were accepted before the process was killed, twice, and does not log their payloads", () =>
  withFolder(async (folder) => {
    const first = await startReady(folder, ["--verbose"])
    const code = codeOf({ "index.mjs": SOURCE })
    const wanted = { name: "echo", language: "node@24", handler: "index.mjs", code }
    await call(first.ready, "POST", "/functions", wanted)
    const isReady = async () =>
      expect((await call(first.ready, "GET", "/functions/echo")).json.status).toBe("ready")
    await vi.waitFor(isReady, 10_000)
    const places = await Promise.all(
      Array.from({ length: RUNS }, async (_, n) => {
        const body = { payload: { n, marker: MARKER }, async: true }
        return (await call(first.ready, "POST", "/functions/echo/runs", body)).location
      }),
    )
    await first.stop("SIGKILL")

    const second = await startReady(folder, ["--verbose"])
    await vi.waitFor(async () => {
      const { json } = await call(second.ready, "GET", places[0] ?? "")
      expect(json.status).not.toBe("scheduled")
    }, 20_000)
    await second.stop("SIGKILL")

    const third = await startReady(folder, ["--verbose"])
    for (const [n, place] of places.entries()) {
      await vi.waitFor(async () => {
        const { json } = await call(third.ready, "GET", place)
        expect(json).toMatchObject({ status: "success", result: { n, marker: MARKER } })
      }, 20_000)
    }
    await third.stop()
    const logged = [first, second, third].map(({ stdout, stderr }) => stdout() + stderr()).join("")
    expect(logged).not.toContain(MARKER)
  }))
