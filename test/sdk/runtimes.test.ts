import { beforeAll, describe, expect, test } from "vitest"
import vectors from "../../packages/core/tokens/vectors/tokens.json" with { type: "json" }
import { useService } from "../support/service.ts"
import { RUNTIMES, type Runtime } from "./runtimes/runtimes.ts"
import type { SuiteInput, SuiteResult } from "./runtimes/suite.ts"

const service = useService()
const tokens = vectors.tokens.filter(({ version }) => version === "Tk9D" || version === "QkTC")
const files = vectors.files.filter(({ curve }) => curve === "prime256v1")
const DOCUMENT = {
  card: "4242424242424242",
  text: "héllo ✓ 🚀\u0000",
  list: [1, -2.5e-7, true, null, {}, []],
}
const CONTENT = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, index) => index % 251))

beforeAll(async () => {
  const { app, auth } = service.sandbox
  for (const slug of ["open", "closed"]) await service.newRole(app, slug)
  const policy = { name: "Everybody", effect: "permit", roles: ["open"], conditions: {} }
  expect((await service.post("/data-policies", policy, { auth })).status).toBe(201)
})

/** Says what is missing, because a test that is skipped passes. */
function titleOf({ name, program }: Runtime): string {
  return program === null ? `${name} (skipped: not on this machine)` : name
}

describe.each(RUNTIMES.map((runtime) => [titleOf(runtime), runtime] as const))("on %s", (_title, runtime) => {
  test.skipIf(runtime.program === null)(
    "the SDK reads all vectors of P-256, and the service opens all that the SDK encrypts",
    async () => {
      const { app, auth } = service.sandbox
      const input: SuiteInput = {
        baseUrl: service.url,
        teamId: app.teamId,
        appId: app.id,
        apiKey: runtime.isPage ? null : auth.key,
        vectors: { keys: vectors.keys.prime256v1, tokens, files: files.map(({ fileBase64 }) => fileBase64) },
        document: DOCUMENT,
      }
      const result = JSON.parse(await runtime.run(runtime.program ?? "", input)) as SuiteResult

      expect(result.opened.files).toEqual(files.map(({ plaintextBase64 }) => plaintextBase64))
      expect(
        result.opened.tokens.map((text, index) =>
          tokens[index]?.type === "string" ? text : JSON.parse(text),
        ),
      ).toEqual(tokens.map(({ value }) => value))

      const decrypt = async (data: unknown) => (await service.post("/decrypt", data, { auth })).json
      for (const sealed of result.sealed) expect(await decrypt(sealed)).toEqual(DOCUMENT)
      const roles = result.sealed.map(async (sealed) => {
        const { card } = sealed as typeof DOCUMENT
        const { json } = await service.post("/fingerprint", { token: card }, { auth })
        return (json as { role?: string }).role
      })
      expect(await Promise.all(roles)).toEqual([undefined, "open"])
      const numbers = Array.from({ length: 500 }, (_, index) => index)
      expect(await decrypt(result.many)).toEqual([...numbers, ...numbers])
      expect(new Set(result.many.map((token) => token.split(":").at(-4))).size).toBe(1000)

      for (const file of result.files) {
        const options = { auth, contentType: "application/octet-stream" }
        const { bytes } = await service.post("/decrypt", Buffer.from(file, "base64"), options)
        expect(bytes.equals(CONTENT)).toBe(true)
      }
      expect(result.refused).toEqual(["TypeError", "TypeError", "TypeError", "TypeError"])
      expect(result.decrypted).toEqual(
        runtime.isPage ? null : [DOCUMENT, "PermissionError", CONTENT.toString("base64")],
      )
    },
  )
})
