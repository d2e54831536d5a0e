import { createECDH, createPublicKey } from "node:crypto"
import { describe, expect, test } from "vitest"
import { refusal } from "../testing/refused.ts"
import { type AgreedContent, contentKeyId, deriveContentKey } from "./content-key.ts"
import { decodeSubjectPublicKey, encodeSubjectPublicKey, uncompressPublicKey } from "./curve.ts"
import { createKeyAgreement, generatePrivateKey } from "./key-agreement.ts"

const ORDERS = {
  prime256v1: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
  secp256k1: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
}
/** x coordinates below the field prime that no point of the curve has. */
const NOT_ON_CURVE = { prime256v1: 1n, secp256k1: 5n }

describe.each(["prime256v1", "secp256k1"] as const)("on %s", (curve) => {
  const app = createKeyAgreement(curve, generatePrivateKey(curve))

  test("both sides derive the same secret, which is the point's x coordinate", () => {
    const other = createKeyAgreement(curve, generatePrivateKey(curve))
    const secret = app.sharedSecret(other.publicKey)
    expect(secret).toEqual(other.sharedSecret(app.publicKey))
    expect(secret).toHaveLength(32)

    const privateKey = generatePrivateKey(curve)
    const ecdh = createECDH(curve)
    ecdh.setPrivateKey(privateKey)
    expect(createKeyAgreement(curve, privateKey).sharedSecret(app.publicKey)).toEqual(
      ecdh.computeSecret(app.publicKey),
    )
  })

  test("pads private keys to 32 bytes on the left", () => {
    let key = generatePrivateKey(curve)
    for (let tries = 0; key[0] !== 0 && tries < 10_000; tries++) key = generatePrivateKey(curve)
    expect(key[0]).toBe(0)
    expect(key).toHaveLength(32)
    expect(createKeyAgreement(curve, key).publicKey).toHaveLength(33)
  })

  test("compresses a public key to the same bytes from either form", () => {
    const uncompressed = uncompressPublicKey(curve, app.publicKey)
    expect(app.publicKey).toHaveLength(33)
    expect(uncompressed).toHaveLength(65)
    expect(uncompressed[0]).toBe(4)
    expect(uncompressed.subarray(1, 33)).toEqual(app.publicKey.subarray(1))
    expect(app.publicKey[0]).toBe(2 + ((uncompressed[64] ?? 0) & 1))
  })

  test.each([
    ["zero", "00".repeat(32)],
    ["the order of the curve", ORDERS[curve]],
    ["larger than the order", "ff".repeat(32)],
    ["empty", ""],
    ["31 bytes", "01".repeat(31)],
    ["33 bytes", `00${"01".repeat(32)}`],
  ])("throws a TypeError for a private key that is %s", (_, hex) => {
    expect(() => createKeyAgreement(curve, Buffer.from(hex, "hex"))).toThrow(TypeError)
  })

  const x = NOT_ON_CURVE[curve].toString(16).padStart(64, "0")
  test.each([
    ["empty", ""],
    ["the point at infinity", "00"],
    ["not on the curve", `02${x}`],
    ["not on the curve, with the other parity", `03${x}`],
    ["not in the field", `02${"ff".repeat(32)}`],
    ["of an unknown form", `05${app.publicKey.toString("hex", 1)}`],
    ["uncompressed", uncompressPublicKey(curve, app.publicKey).toString("hex")],
    ["cut short", app.publicKey.toString("hex", 0, 32)],
    ["too long", `${app.publicKey.toString("hex")}00`],
  ])("refuses an ephemeral key that is %s", (_, hex) => {
    const ephemeralPublicKey = Buffer.from(hex, "hex")
    expect(() => app.sharedSecret(ephemeralPublicKey)).toThrow(refusal)
    const sealed = sealedWith({ curve, derivation: "x963", ephemeralPublicKey })
    expect(() => deriveContentKey(sealed, Buffer.alloc(32, 1))).toThrow(refusal)
    expect(() => uncompressPublicKey(curve, ephemeralPublicKey)).toThrow(TypeError)
    expect(encodeSubjectPublicKey(curve, ephemeralPublicKey)).toBeNull()
  })

  test("encodes public keys as SubjectPublicKeyInfo, and decodes no other bytes", () => {
    const spki = encodeSubjectPublicKey(curve, app.publicKey) ?? Buffer.alloc(0)
    const exported = createPublicKey({ key: spki, format: "der", type: "spki" })
    expect(exported.asymmetricKeyDetails?.namedCurve).toBe(curve)
    expect(exported.export({ format: "der", type: "spki" })).toEqual(spki)
    expect(decodeSubjectPublicKey(curve, spki)).toEqual(app.publicKey)
    const other = curve === "prime256v1" ? "secp256k1" : "prime256v1"
    expect(() => decodeSubjectPublicKey(other, spki)).toThrow(TypeError)
    for (let bit = 0; bit < spki.length * 8; bit++) {
      const flipped = Buffer.from(spki)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => decodeSubjectPublicKey(curve, flipped)).toThrow(TypeError)
    }
    for (const length of [0, 1, 26, spki.length - 1]) {
      expect(() => decodeSubjectPublicKey(curve, spki.subarray(0, length))).toThrow(TypeError)
    }
    expect(() => decodeSubjectPublicKey(curve, Buffer.concat([spki, Buffer.of(0)]))).toThrow(TypeError)
  })

  test("uses the secret itself as the key without a derivation, and mixes in every input with one", () => {
    const other = createKeyAgreement(curve, generatePrivateKey(curve))
    const secret = app.sharedSecret(other.publicKey)
    const key = (derivation: "x963" | "none", ephemeralPublicKey: Buffer, sharedSecret = secret) =>
      deriveContentKey(sealedWith({ curve, derivation, ephemeralPublicKey }), sharedSecret)
        .export()
        .toString("hex")
    expect(key("none", other.publicKey)).toBe(secret.toString("hex"))
    const derived = [
      key("x963", other.publicKey),
      key("x963", app.publicKey),
      key("x963", other.publicKey, Buffer.alloc(32, 1)),
      key("none", other.publicKey),
    ]
    expect(new Set(derived).size).toBe(derived.length)
  })

  test("reads a point from its current bytes, not from those cached earlier", () => {
    const other = createKeyAgreement(curve, generatePrivateKey(curve))
    const bytes = Buffer.from(other.publicKey)
    const before = uncompressPublicKey(curve, bytes)
    bytes.set(app.publicKey)
    expect(uncompressPublicKey(curve, bytes)).toEqual(uncompressPublicKey(curve, app.publicKey))
    bytes.set(other.publicKey)
    expect(uncompressPublicKey(curve, bytes)).toEqual(before)
  })

  test("throws a TypeError for a shared secret that is not 32 bytes", () => {
    const sealed = sealedWith({ curve, derivation: "none", ephemeralPublicKey: app.publicKey })
    expect(() => deriveContentKey(sealed, Buffer.alloc(31))).toThrow(TypeError)
  })
})

test("gives content keys different ids for another curve, derivation or ephemeral key", () => {
  const [one, two] = [1, 2].map(
    () => createKeyAgreement("prime256v1", generatePrivateKey("prime256v1")).publicKey,
  )
  if (one === undefined || two === undefined) throw new Error("No keys")
  const ids = (["prime256v1", "secp256k1"] as const).flatMap((curve) =>
    (["x963", "none"] as const).flatMap((derivation) =>
      [one, two].map((ephemeralPublicKey) =>
        contentKeyId(sealedWith({ curve, derivation, ephemeralPublicKey })),
      ),
    ),
  )
  expect(new Set(ids).size).toBe(8)
  const sealed = { curve: "prime256v1", derivation: "x963" } as const
  expect(contentKeyId(sealedWith({ ...sealed, ephemeralPublicKey: Buffer.from(one) }))).toBe(ids[0])
})

function sealedWith(sealed: Omit<AgreedContent, "ephemeralPublicKeyBase64">): AgreedContent {
  return { ...sealed, ephemeralPublicKeyBase64: sealed.ephemeralPublicKey.toString("base64") }
}
