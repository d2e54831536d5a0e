import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { startTestGateway } from "../gateway/testing/test-gateway.ts"
import { createDashboard, type Dashboard } from "./dashboard.ts"
import { dashboardRoutes, withoutLastSlash } from "./dashboard-routes.ts"

const PAGE = "<!doctype html><title>Sealway</title>"
const SCRIPT = "console.log(1)\n".repeat(100)

async function builtFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-dashboard-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, "assets"))
  await writeFile(join(folder, "index.html"), PAGE)
  await writeFile(join(folder, "assets", "index-1a2b.js"), SCRIPT)
  await writeFile(join(folder, "secret.txt"), "not served")
  return folder
}

async function serve(dashboard: Pick<Dashboard, "files">) {
  const routes = dashboardRoutes(dashboard).map(({ method, path, handler }) => [`${method} ${path}`, handler])
  const { port, connect } = await startTestGateway({
    routes: Object.fromEntries(routes),
    answerUnknown: withoutLastSlash(() => ({ statusCode: 404, body: "none" })),
  })
  return {
    connect,
    get: (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
      fetch(`http://127.0.0.1:${port}${path}`, { method, headers, redirect: "manual" }),
  }
}

/** Serves a dashboard that was built before. */
async function serveBuilt() {
  const dashboard = createDashboard({
    builtFolder: await builtFolder(),
    buildFolder: null,
    log: { error: () => undefined },
  })
  await vi.waitFor(() => expect(dashboard.files()).toBeTypeOf("object"))
  return serve(dashboard)
}

describe("the dashboard's files", () => {
  test("answer its page at every address below /dashboard, which the page itself knows", async () => {
    const { get } = await serveBuilt()
    for (const path of [
      "/dashboard",
      "/dashboard/apps/app_1/relays",
      "/dashboard/secret.txt",
      "/dashboard/a?b=c",
    ]) {
      const answer = await get(path)
      expect({ path, status: answer.status, text: await answer.text() }).toEqual({
        path,
        status: 200,
        text: PAGE,
      })
      expect(answer.headers.get("cache-control")).toBe("no-cache")
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'self'; ")
      expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
    }
    const slash = await get("/dashboard/")
    expect([slash.status, slash.headers.get("location")]).toEqual([308, "/dashboard"])
  })

  test("answer assets compressed or not, unchanged ones with 304, and HEAD without a body", async () => {
    const { get } = await serveBuilt()
    const path = "/dashboard/assets/index-1a2b.js"
    const plain = await get(path, { "accept-encoding": "gzip;q=0, identity" })
    expect(await plain.text()).toBe(SCRIPT)
    expect(plain.headers.get("content-encoding")).toBeNull()
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    const compressed = await get(path, { "accept-encoding": "br, gzip" })
    expect(compressed.headers.get("content-encoding")).toBe("gzip")
    expect(await compressed.text()).toBe(SCRIPT)
    expect(compressed.headers.get("etag")).not.toBe(plain.headers.get("etag"))
    const etag = plain.headers.get("etag") ?? ""
    const again = await get(path, { "if-none-match": etag, "accept-encoding": "identity" })
    expect([again.status, await again.text()]).toEqual([304, ""])
    const head = await get(path, { "accept-encoding": "identity" }, "HEAD")
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(SCRIPT.length)])
  })

  test.each([
    "/dashboard/assets/../secret.txt",
    "/dashboard/assets/..%2fsecret.txt",
    "/dashboard/assets/%2e%2e/secret.txt",
    "/dashboard/assets/%252e%252e%252fsecret.txt",
    "/dashboard/assets/..\\secret.txt",
    "/dashboard/assets//etc/passwd",
    "/dashboard/assets/index-1a2b.js%00.txt",
    "/dashboard/assets/__proto__",
    "/dashboard/../../../../etc/passwd",
  ])("never answer %s with a file outside of the assets", async (path) => {
    const { connect } = await serveBuilt()
    const client = await connect()
    client.send(`GET ${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity\r\n\r\n`)
    const { statusCode, body } = (await client.response()) ?? {}
    const text = String(body)
    expect([400, 404].includes(statusCode ?? 0) || text === PAGE).toBe(true)
    expect(text).not.toContain("not served")
  })

  test("are 404 when they are of another version", async () => {
    const { get } = await serveBuilt()
    expect((await get("/dashboard/assets/index-0000.js")).status).toBe(404)
  })
})

describe("a dashboard that is not there", () => {
  test("says that it is being built, and reloads itself without a script", async () => {
    const { get } = await serve({ files: () => "building" })
    const answer = await get("/dashboard")
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([503, "no-store"])
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
    const html = await answer.text()
    expect(html).toContain('<meta http-equiv="refresh" content="1">')
    expect(html).not.toContain("<script")
  })

  test("is absent where it can neither be found nor built", async () => {
    const dashboard = createDashboard({
      builtFolder: null,
      buildFolder: null,
      log: { error: () => undefined },
    })
    await vi.waitFor(() => expect(dashboard.files()).toBe("absent"))
    const { get } = await serve(dashboard)
    expect((await get("/dashboard")).status).toBe(404)
  })

  test("says once that it failed, logs why, and is tried again", async () => {
    const errors: unknown[] = []
    const folder = await builtFolder()
    const builtLater = join(folder, "later")
    const dashboard = createDashboard({
      builtFolder: builtLater,
      buildFolder: null,
      log: { error: (...entry: readonly unknown[]) => errors.push(entry) },
    })
    await vi.waitFor(() => expect(dashboard.files()).toBe("failed"))
    expect(errors).toHaveLength(1)
    await mkdir(join(builtLater, "assets"), { recursive: true })
    await writeFile(join(builtLater, "index.html"), PAGE)
    await vi.waitFor(() => expect(dashboard.files()).toBeTypeOf("object"))
  })
})
