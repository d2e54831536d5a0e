import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { describe, expect, test } from "vitest"
import { InvalidAttestationError } from "../attestation/invalid-attestation-error.ts"
import { readAttestedKey } from "./attested-key.ts"

const spki = (key: KeyObject) => key.export({ format: "der", type: "spki" })
const curveKey = (namedCurve: string) => spki(generateKeyPairSync("ec", { namedCurve }).publicKey)

/** An RSA key of a modulus that nobody has chosen well, which is enough to be read. */
function rsaKey(bits: number, { e = 65_537, isEven = false } = {}) {
  const modulus = Buffer.alloc(Math.ceil(bits / 8), 0xff)
  if (bits % 8 !== 0) modulus[0] = 2 ** (bits % 8) - 1
  if (isEven) modulus[modulus.length - 1] = 0xfe
  const exponent = Buffer.from(e.toString(16).padStart(6, "0"), "hex")
  const jwk = { kty: "RSA", n: modulus.toString("base64url"), e: exponent.toString("base64url") }
  return spki(createPublicKey({ key: jwk, format: "jwk" }))
}

describe("the key of an enclave", () => {
  test("is one on P-384, or of RSA with 2048 to 4096 bits", () => {
    expect(readAttestedKey(curveKey("secp384r1")).algorithm).toBe("ECDH-ES")
    for (const bits of [2_048, 3_072, 4_096])
      expect(readAttestedKey(rsaKey(bits)).algorithm).toBe("RSA-OAEP-256")
  })

  test.each<[string, Uint8Array | null]>([
    ["missing", null],
    ["of 2047 bits", rsaKey(2_047)],
    ["of 4097 bits", rsaKey(4_097)],
    ["of another exponent", rsaKey(2_048, { e: 65_539 })],
    ["of a small exponent", rsaKey(2_048, { e: 3 })],
    ["of an even modulus", rsaKey(2_048, { isEven: true })],
    ["on P-256", curveKey("prime256v1")],
    ["on P-521", curveKey("secp521r1")],
    ["for RSA-PSS only", spki(generateKeyPairSync("rsa-pss", { modulusLength: 2_048 }).publicKey)],
    ["for signatures only", spki(generateKeyPairSync("ed25519").publicKey)],
    ["no key", Buffer.from("dummy")],
    ["empty", new Uint8Array()],
  ])("is refused when it is %s", (_, key) => {
    expect(() => readAttestedKey(key)).toThrow(InvalidAttestationError)
  })
})
