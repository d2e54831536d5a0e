import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()
const get = (path: string) => service.get(path, { auth: null })

describe("GET /docs", () => {
  test("is a page that loads its script and the OpenAPI document from the service, and nothing else from anywhere", async () => {
    const { status, headers, text } = await get("/docs")
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect([...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link)).toEqual([
      ...["/openapi.json", "/docs/scalar.js", "/docs/reference.js"],
    ])
    expect(text).not.toMatch(/https?:|\son[a-z]+=|<script>|<style/i)
    expect((await get("/docs/reference.js")).text).not.toMatch(/https?:/)
  })

  test.each(["/docs", "/docs/reference.js", "/docs/scalar.js"])(
    "lets the browser run and ask only this service, and nobody frame %s",
    async (path) => {
      const { headers } = await get(path)
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect((await service.head(path, { auth: null })).bytes).toHaveLength(0)
    },
  )

  test("runs the Scalar that `npm run update-reference` has checked", async () => {
    const { headers, bytes } = await get("/docs/scalar.js")
    expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    expect(createHash("sha256").update(bytes).digest("base64")).toBe(
      "vwkQBr3Dr2Bnr3fC9TSBLj5jPpSpTocTgGn1cPM7diw=",
    )
  })

  test("contains nothing about this machine or an app, nor of the request", async () => {
    const { credentials } = service.service
    const { text } = await service.get("/docs?marker", {
      auth: null,
      headers: { referer: "https://marker.example" },
    })
    const script = (await get("/docs/reference.js")).text
    const own = [credentials.teamId, credentials.teamKey, process.cwd(), "marker", service.sandbox.auth.key]
    for (const each of own) expect(text + script).not.toContain(each)
  })

  test("is not an endpoint of the service in the cloud", async () => {
    const { json } = await get("/openapi.json")
    expect(Object.keys((json as { paths: object }).paths).filter((path) => path.startsWith("/docs"))).toEqual(
      [],
    )
    expectProblem(await service.post("/docs", {}, { auth: null }), "method-not-allowed")
    expectProblem(await get("/docs/other.js"), "not-found")
  })
})
