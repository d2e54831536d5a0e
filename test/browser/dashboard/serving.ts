import { expect, test } from "vitest"
import { appPath, describePage, openPage, service } from "./harness.ts"

const MAX_FIRST_LOAD_BYTES = 300_000

describePage("the dashboard's files", () => {
  test("load at most 300 kB of script, compressed, before the first page is shown", async () => {
    const { page } = await openPage(appPath())
    await page.getByRole("heading", { level: 1 }).waitFor()
    await page.waitForLoadState("networkidle")
    const total = await page.evaluate(
      `performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js")).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    )
    expect(total).toBeGreaterThan(50_000)
    expect(total).toBeLessThan(MAX_FIRST_LOAD_BYTES)
  })

  test("are cached for ever by the hash in their names, and the page is checked each time", async () => {
    const page = await fetch(`${service.url}/dashboard`)
    expect(page.headers.get("cache-control")).toBe("no-cache")
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    )
    const html = await page.text()
    expect(html).not.toMatch(/<style|<script(?! type="module" crossorigin src=)|\son\w+=/)
    const asset = /src="(\/dashboard\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? ""
    const plain = await service.get(asset, { auth: null, headers: { "accept-encoding": "identity" } })
    const compressed = await service.call("GET", asset, undefined, {
      auth: null,
      headers: { "accept-encoding": "gzip" },
    })
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    expect(plain.headers.get("x-content-type-options")).toBe("nosniff")
    expect(plain.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    expect(compressed.text).toBe(plain.text)
    expect(compressed.headers.get("etag")).not.toBe(plain.headers.get("etag"))
    const again = await service.get(asset, {
      auth: null,
      headers: { "accept-encoding": "identity", "if-none-match": plain.headers.get("etag") ?? "" },
    })
    expect(again).toMatchObject({ status: 304, text: "" })
    const head = await service.head(asset, { auth: null })
    expect(head).toMatchObject({ status: 200, text: "" })
  })
})
