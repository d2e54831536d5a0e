import { createHash } from "node:crypto"
import { access, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"
import { ROOT } from "../support/start.ts"

const api = useService()

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }
const asBrowser = { auth: null, headers: BROWSER }

describe("GET /", () => {
  test("shows people that the service runs, and where to go from there", async () => {
    const { status, headers, text } = await api.get("/", asBrowser)
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/)
    const { json } = await api.get("/health", { auth: null })
    expect(json).toMatchObject({ status: "ok" })
    expect(text).toContain(`Version ${(json as { version: string }).version}. Functions: Node.js`)
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link = ""]) => link)
    expect(links).toEqual(["/docs", "/openapi.json", "/health"])
    for (const link of links) expect((await api.get(link, { auth: null })).status).toBe(200)
  })

  test("names existing documents", async () => {
    const { text } = await api.get("/", asBrowser)
    const documents = [...text.matchAll(/<code>(docs\/[^<]+)<\/code>/g)].map(([, file = ""]) => file)
    expect(documents.length).toBeGreaterThan(2)
    for (const file of documents) await access(join(ROOT, file))
  })

  test("lets a browser load, run, frame and send nothing", async () => {
    const { headers, text } = await api.get("/", asBrowser)
    const [, style = ""] = /<style>(.*?)<\/style>/s.exec(text) ?? []
    const hash = createHash("sha256").update(style).digest("base64")
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("referrer-policy")).toBe("no-referrer")
    expect(headers.get("cache-control")).toBe("no-store")
    expect(text).not.toMatch(/<script|<img|<link|<iframe|<form|javascript:|\son[a-z]+=|style=|https?:/i)
  })

  test("returns the same as JSON to programs, whatever else they accept", async () => {
    for (const accept of ["*/*", "application/json", "image/png"]) {
      const { status, headers, json } = await api.get("/", { auth: null, headers: { accept } })
      expect(status).toBe(200)
      expect(headers.get("content-type")).toBe("application/json")
      expect(headers.get("vary")).toMatch(/\baccept\b/)
      expect(json).toEqual({
        name: "Sealway",
        status: "ok",
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        docs: "/docs",
        openapi: "/openapi.json",
        health: "/health",
      })
    }
  })

  test("keeps the two apart for caches, for pages of other origins too", async () => {
    for (const origin of [{}, { origin: "https://example.com" }]) {
      const { headers } = await api.get("/", { auth: null, headers: { ...BROWSER, ...origin } })
      expect(headers.get("vary")).toMatch(/\baccept\b/)
    }
  })

  test("contains nothing about this machine or an app", async () => {
    const { credentials, relayUrl, proxyUrl } = api.service
    for (const options of [asBrowser, { auth: null }]) {
      const { text } = await api.get("/", options)
      const own = [
        ...[credentials.teamId, credentials.teamKey, relayUrl, proxyUrl, ROOT, process.cwd()],
        ...credentials.apps.flatMap(({ id, apiKey }) => [id, apiKey]),
      ]
      for (const each of own) expect(text).not.toContain(each)
      expect(text).not.toMatch(/swk_|team_|app_|\/home\/|\/root\b/)
    }
  })

  test("answers HEAD with the same headers and no body", async () => {
    for (const options of [asBrowser, { auth: null }]) {
      const got = await api.get("/", options)
      const head = await api.head("/", options)
      expect(head.status).toBe(200)
      expect(head.bytes).toHaveLength(0)
      for (const name of ["content-type", "content-length", "content-security-policy", "vary"]) {
        expect(head.headers.get(name), name).toBe(got.headers.get(name))
      }
    }
  })

  test("repeats nothing of the request", async () => {
    const plain = await api.get("/", asBrowser)
    const marked = await api.get("/?%3Cscript%3Emarker", {
      auth: null,
      headers: {
        ...BROWSER,
        "user-agent": "<script>marker",
        referer: "https://marker.example",
        cookie: "a=marker",
      },
    })
    expect(marked.text).toBe(plain.text)
  })

  test.each(["POST", "PUT", "PATCH", "DELETE"])(
    "is the only method of the path: %s is 405 method-not-allowed",
    async (method) => {
      const refused = await api.call(method, "/", method === "DELETE" ? undefined : {}, asBrowser)
      expectProblem(refused, "method-not-allowed")
      expect(refused.headers.get("allow")).toBe("GET, HEAD")
    },
  )

  test("is not an endpoint of the service in the cloud", async () => {
    const { json } = await api.get("/openapi.json", { auth: null })
    expect(Object.keys((json as { paths: object }).paths)).not.toContain("/")
  })
})

test("shows the commands of the README on the start page", async () => {
  const { text } = await api.get("/", asBrowser)
  const [, shown = ""] = /<pre>(.*?)<\/pre>/s.exec(text) ?? []
  const commands = shown
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
  const readme = await readFile(join(ROOT, "README.md"), "utf8")
  expect(readme).toContain(commands)
})
