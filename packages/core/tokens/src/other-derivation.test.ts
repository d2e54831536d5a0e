import fc from "fast-check"
import { describe, expect, test } from "vitest"
import otherDerivation from "../vectors/other-derivation.json" with { type: "json" }
import { agreedContentKey } from "./crypto/agreed-content-key.ts"
import { candidateContentKeys, deriveContentKey, isAgreed } from "./crypto/content-key.ts"
import { openFileStream } from "./files/open-file-stream.ts"
import { encodeMetadata } from "./format/encode-metadata.ts"
import { parseToken } from "./format/parse-token.ts"
import { sealAsClient } from "./testing/client.ts"
import { refusal } from "./testing/refused.ts"
import { collect, inChunks } from "./testing/streams.ts"
import { createTestApp, openBytes, openText } from "./testing/test-app.ts"
import { vectorApp, vectors } from "./testing/vectors.ts"
import { openToken } from "./values/open-token.ts"

const { publicKey, sharedSecret } = vectorApp.secp256k1

describe("a value sealed with the derivation of the other secp256k1 version", () => {
  test.each(otherDerivation.tokens)(
    "opens: $type with role $role, by the $client client",
    ({ token, type, value, role }) => {
      const opened = openText(token, vectorApp)
      expect(opened).toMatchObject({ type, role })
      const text = opened?.value.toString() ?? ""
      expect(type === "string" ? text : JSON.parse(text)).toBe(value)
    },
  )

  test.each(otherDerivation.tokens)(
    "does not open with the key that its version names: $type with role $role, by the $client client",
    ({ token }) => {
      const parsed = parseToken(token)
      if (parsed === null) throw new Error("Not a token")
      const contentKey = agreedContentKey(parsed, vectorApp.secp256k1)
      expect(() => openToken(parsed, contentKey, publicKey)).toThrow(refusal)
    },
  )

  test.each(otherDerivation.files)(
    "opens when it is a file by the $client client, whole and streamed",
    async ({ fileBase64, plaintextBase64 }) => {
      const file = Buffer.from(fileBase64, "base64")
      expect(openBytes(file, vectorApp).toString("base64")).toBe(plaintextBase64)
      const stream = openFileStream(
        inChunks(file, 7),
        (header) => {
          if (!isAgreed(header)) throw new Error("Not sealed to a public key")
          const secret = sharedSecret(header.ephemeralPublicKey)
          return [...candidateContentKeys(header, secret)].map((contentKey) => ({
            contentKey,
            appPublicKey: publicKey,
          }))
        },
        { maxBytes: file.length },
      )
      expect((await collect(stream)).toString("base64")).toBe(plaintextBase64)
    },
  )

  test.each([
    ["RFVC", "x963"],
    ["RFVC", "none"],
    ["S0lS", "none"],
    ["S0lS", "x963"],
  ] as const)("opens for any content: %s sealed with %s", (version, derivation) => {
    const app = createTestApp()
    const appPublicKey = app.secp256k1.publicKey
    const role = version === "S0lS" ? "pci" : null
    const metadata = encodeMetadata("pci", 5, 1_700_000_000).subarray(2)
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (plaintext) => {
        const token = sealAsClient({ version, derivation, appPublicKey, plaintext, metadata })
        expect(openText(token, app)).toMatchObject({ role, value: Buffer.from(plaintext) })
      }),
      { numRuns: 20 },
    )
  })

  test.each([
    ["RFVC", "S0lS"],
    ["S0lS", "RFVC"],
  ] as const)("is refused when %s is renamed to %s, so no role is lost or gained", (version, other) => {
    const renamed = otherDerivation.tokens.filter(({ token }) => token.startsWith(`ev:${version}:`))
    expect(renamed.length).toBeGreaterThan(0)
    for (const { token } of renamed) {
      expect(() => openText(token.replace(version, other), vectorApp)).toThrow(refusal)
    }
  })
})

test("derives one content key on P-256, and two different ones on secp256k1", () => {
  for (const { token } of vectors.tokens) {
    const parsed = parseToken(token)
    if (parsed === null || !isAgreed(parsed)) throw new Error("Not a token to a public key")
    const secret = vectorApp[parsed.curve].sharedSecret(parsed.ephemeralPublicKey)
    const keys = [...candidateContentKeys(parsed, secret)].map((key) => key.export().toString("hex"))
    expect(new Set(keys).size).toBe(parsed.curve === "secp256k1" ? 2 : 1)
    expect(keys[0]).toBe(deriveContentKey(parsed, secret).export().toString("hex"))
  }
})
