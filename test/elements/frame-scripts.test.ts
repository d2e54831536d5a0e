import { readFileSync } from "node:fs"
import { gunzipSync, gzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import {
  buildFrameScript,
  FRAME_SCRIPTS,
  generatedFile,
  moduleOf,
} from "../../scripts/frames/build-frame-script.ts"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const MAX_GZIP_BYTES = 45_000
const service = useService()

describe("the scripts of frames", () => {
  test.each(FRAME_SCRIPTS)("$file is what npm run generate:frames writes, within 45 kB", async (each) => {
    const script = await buildFrameScript(each.entry)
    expect(readFileSync(generatedFile(each.file), "utf8") === moduleOf(each.name, script)).toBe(true)
    expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(MAX_GZIP_BYTES)
    expect(script).not.toMatch(
      /\bBuffer\b|\brequire\(|\bprocess\.|innerHTML|\beval\b|localStorage|document\.cookie/,
    )
  })
})

describe("a frame's page", () => {
  const pathOf = (app = service.sandbox.app.id, team = service.team.id) => `/elements/${team}/${app}/fields`

  test("loads one script of the service, and can be framed by nobody until the app allows an origin", async () => {
    const { status, headers, text } = await service.get(pathOf(), { auth: null })
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    const [, source = "", integrity] = /<script src="([^"]+)" integrity="(sha384-[^"]+)"/.exec(text) ?? []
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${service.url}${source}`,
      expect.stringMatching(/^style-src 'sha256-[^']+'$/),
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
      "frame-ancestors 'none'",
    ])
    const script = await service.get(source, { auth: null })
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    const hash = await crypto.subtle.digest("SHA-384", script.bytes)
    expect(`sha384-${Buffer.from(hash).toString("base64")}`).toBe(integrity)
    expect(() => gunzipSync(script.bytes)).toThrow()
  })

  test("does not exist for an unknown, a disabled, or another team's app", async () => {
    const { app } = await service.newApp("sandbox")
    expect((await service.get(pathOf(app.id), { auth: null })).status).toBe(200)
    const none = `app_${"0".repeat(12)}`
    for (const path of [pathOf(none), pathOf(app.id, `team_${"0".repeat(12)}`)]) {
      expectProblem(await service.get(path, { auth: null }), "not-found")
    }
    const { app: disabled } = await service.newApp("sandbox")
    await service.patch(`/apps/${disabled.id}`, { status: "disabled" }, { auth: service.team.auth })
    expectProblem(await service.get(pathOf(disabled.id), { auth: null }), "not-found")
  })

  test("that shows values may call the service for nothing else", async () => {
    const { headers } = await service.get(pathOf().replace(/fields$/, "reveal"), { auth: null })
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toContain(`; connect-src ${service.url}/reveal; `)
    expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/)
  })

  test("is not needed for the SDK's own script, which any page may load", async () => {
    const { status, headers, text } = await service.get("/elements/scripts/sealway.js", { auth: null })
    expect(status).toBe(200)
    expect(headers.get("cache-control")).toBe("public, max-age=300")
    expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin")
    expect(text).toContain("SealwayPage")
  })

  test("has no script under any other name", async () => {
    for (const name of ["field.js", "field-00000000000000000000.js", "..%2f..%2fpackage.json"]) {
      const { status } = await service.get(`/elements/scripts/${name}`, { auth: null })
      expect(status).toBeGreaterThanOrEqual(400)
    }
  })
})
