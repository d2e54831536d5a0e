import { describe, expect, test } from "vitest"
import { agreedContentKey } from "./crypto/agreed-content-key.ts"
import { isSymmetric } from "./crypto/content-key.ts"
import { uncompressPublicKey } from "./crypto/curve.ts"
import { openFileStream } from "./files/open-file-stream.ts"
import { encodeMetadata } from "./format/encode-metadata.ts"
import { parseToken } from "./format/parse-token.ts"
import { refusal } from "./testing/refused.ts"
import { collect, inChunks } from "./testing/streams.ts"
import { openBytes, openText } from "./testing/test-app.ts"
import { vectorApp, vectors } from "./testing/vectors.ts"

const NODE_CLIENT_ORIGIN = 5
const ENCRYPTED_AT = 0x6b00c986

describe("with the app of the vectors", () => {
  test.each(["prime256v1", "secp256k1"] as const)(
    "derives the public keys from the private one on %s",
    (curve) => {
      const { publicKeyCompressedBase64, publicKeyUncompressedBase64 } = vectors.keys[curve]
      const { publicKey } = vectorApp[curve]
      expect(publicKey.toString("base64")).toBe(publicKeyCompressedBase64)
      expect(uncompressPublicKey(curve, publicKey).toString("base64")).toBe(publicKeyUncompressedBase64)
    },
  )

  test.each(vectors.tokens)(
    "opens vector %#, a $type of $version with role $role",
    ({ token, type, value, role }) => {
      const opened = openText(token, vectorApp)
      const text = opened?.value.toString()
      expect(opened).toMatchObject({ type, role, encryptedAt: role === null ? null : ENCRYPTED_AT })
      expect(type === "string" ? text : JSON.parse(text ?? "")).toBe(value)
    },
  )

  test.each(vectors.tokens.filter(({ metadataHex }) => metadataHex !== null))(
    "encodes the metadata of vector %# identically",
    ({ role, metadataHex }) => {
      const [low, high, ...map] = encodeMetadata(role ?? "", NODE_CLIENT_ORIGIN, ENCRYPTED_AT)
      expect(Buffer.from(map).toString("hex")).toBe(metadataHex)
      expect([low, high]).toEqual([map.length, 0])
    },
  )

  test.each(vectors.files)(
    "opens the file of vector %#, whole and streamed",
    async ({ fileBase64, plaintextBase64 }) => {
      const file = Buffer.from(fileBase64, "base64")
      expect(openBytes(file, vectorApp).toString("base64")).toBe(plaintextBase64)

      const stream = openFileStream(
        inChunks(file, 1000),
        (header) => {
          const agreement = vectorApp[isSymmetric(header) ? "prime256v1" : header.curve]
          return [{ contentKey: agreedContentKey(header, agreement), appPublicKey: agreement.publicKey }]
        },
        { maxBytes: file.length },
      )
      expect((await collect(stream)).toString("base64")).toBe(plaintextBase64)
    },
  )

  test.each(vectors.bad.filter(({ token }) => token.endsWith(":$")))("refuses a token: $why", ({ token }) => {
    expect(() => openText(token, vectorApp)).toThrow(refusal)
  })

  test.each(vectors.bad.filter(({ token }) => !token.endsWith(":$")))(
    "treats a token as data: $why",
    ({ token }) => {
      expect(parseToken(token)).toBeNull()
    },
  )
})
