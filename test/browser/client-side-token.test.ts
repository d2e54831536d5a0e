import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { findChromium } from "../support/chromium.ts"
import { useService } from "../support/service.ts"

const service = useService()
const chromium = findChromium()
const running: (() => Promise<unknown>)[] = []
afterAll(() => Promise.all(running.map((stop) => stop())))

const title =
  chromium === null
    ? "a page in a browser decrypts with a client-side token (skipped: no Chromium on this machine)"
    : "a page in a browser decrypts with a client-side token"

describe(title, () => {
  test.skipIf(chromium === null)(
    "decrypts its own payload, and sees a refusal as other callers do",
    async () => {
      const payload = { card: (await service.post("/encrypt", '"4242424242424242"')).json }
      const issued = await service.post("/client-side-tokens", { action: "api:decrypt", payload })
      const { token } = z.object({ token: z.string() }).parse(issued.json)

      const results = await runPage(`
        const decrypt = (body) => fetch(${JSON.stringify(`${service.url}/decrypt`)}, {
          method: "POST",
          headers: { authorization: ${JSON.stringify(`Token ${token}`)}, "content-type": "application/json" },
          body: JSON.stringify(body),
        })
        const tell = async (response) => ({ status: response.status, body: await response.json() })
        const payload = ${JSON.stringify(payload)}
        return [await tell(await decrypt(payload)), await tell(await decrypt({ ...payload, other: 1 }))]
      `)
      expect(results).toEqual([
        { status: 200, body: { card: "4242424242424242" } },
        { status: 403, body: expect.objectContaining({ code: "forbidden" }) },
      ])
    },
    60_000,
  )
})

/** Runs a script in a page of an origin of its own. @returns what the script returns, through JSON */
async function runPage(script: string): Promise<unknown> {
  const told = Promise.withResolvers<unknown>()
  const page = `<!doctype html><meta charset="utf-8"><script type="module">
    const run = async () => { ${script} }
    const tell = (result) => fetch("/result", { method: "POST", body: JSON.stringify(result) })
    run().then(tell, (error) => tell({ error: String(error) }))
  </script>`
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.setHeader("content-type", "text/html").end(page)
      return
    }
    Array.fromAsync(request).then(
      (chunks) => {
        response.end()
        told.resolve(JSON.parse(Buffer.concat(chunks).toString()))
      },
      (error) => told.reject(error),
    )
  })
  const address = await listen(server)
  const browser = await openBrowser(address)
  browser.once("exit", () => told.reject(new Error("The browser ended before the page told anything")))
  return told.promise
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  running.push(async () => server.closeAllConnections())
  running.push(() => new Promise((resolve) => server.close(resolve)))
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("The page has no address")
  return `http://127.0.0.1:${address.port}/`
}

async function openBrowser(address: string): Promise<ChildProcess> {
  const profile = await mkdtemp(join(tmpdir(), "sealway-browser-"))
  const browser = spawn(
    chromium ?? "chromium",
    // Neither root nor most containers can set up a sandbox; the only page that is opened is ours.
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      `--user-data-dir=${profile}`,
      address,
    ],
    { stdio: "ignore", detached: true },
  )
  running.push(async () => {
    const { pid } = browser
    if (pid !== undefined && browser.exitCode === null) {
      const ended = once(browser, "exit")
      process.kill(-pid, "SIGKILL")
      await ended
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  return browser
}
