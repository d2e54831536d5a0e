import { createSecretKey, randomBytes } from "node:crypto"
import fc from "fast-check"
import { expect, test } from "vitest"
import { keyIdOfBlob, openBlob, type SealingKey, sealBlob } from "./ciphertext-blob.ts"

const CONTEXT = Buffer.from("context")
const key: SealingKey = {
  id: "6f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b",
  secret: createSecretKey(randomBytes(32)),
}

test("opens what was sealed", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (plaintext, context) => {
      expect(openBlob(key, sealBlob(key, plaintext, context), context)).toEqual(Buffer.from(plaintext))
    }),
  )
})

test("lays out version, key id, IV, ciphertext and tag", () => {
  const blob = sealBlob(key, Buffer.from("secret"), CONTEXT)

  expect(blob).toHaveLength(1 + 16 + 12 + 6 + 16)
  expect(blob.toString("hex", 0, 17)).toBe("016f1a2b3c4d5e4f608a7b9c0d1e2f3a4b")
  expect(keyIdOfBlob(blob)).toBe(key.id)
})

test("seals the same plaintext differently each time", () => {
  expect(sealBlob(key, CONTEXT, CONTEXT)).not.toEqual(sealBlob(key, CONTEXT, CONTEXT))
})

test("does not open a blob with any bit flipped", () => {
  const blob = sealBlob(key, Buffer.from("secret"), CONTEXT)
  for (let bit = 0; bit < blob.length * 8; bit++) {
    const flipped = Buffer.from(blob)
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    expect(openBlob(key, flipped, CONTEXT)).toBeNull()
  }
})

test("does not open a blob of any shorter length", () => {
  const blob = sealBlob(key, Buffer.from("secret"), CONTEXT)
  for (let length = 0; length < blob.length; length++) {
    expect(openBlob(key, blob.subarray(0, length), CONTEXT)).toBeNull()
  }
})

test("does not open a blob with a different context or key", () => {
  const blob = sealBlob(key, Buffer.from("secret"), CONTEXT)

  expect(openBlob(key, blob, Buffer.from("other"))).toBeNull()
  expect(openBlob({ ...key, secret: createSecretKey(randomBytes(32)) }, blob, CONTEXT)).toBeNull()
  expect(openBlob({ ...key, id: "00000000-0000-4000-8000-000000000000" }, blob, CONTEXT)).toBeNull()
})
