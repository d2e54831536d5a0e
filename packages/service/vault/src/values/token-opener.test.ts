import { createCipheriv, createECDH, createHash, randomBytes } from "node:crypto"
import { TEST_APP as app } from "@sealway/accounts/testing"
import { createTurns } from "@sealway/kernel"
import type { Keyring, KeyVersion } from "@sealway/keys"
import { createTestKeyring } from "@sealway/keys/testing"
import { InvalidTokenError, parseFile, parseToken, sealFile } from "@sealway/tokens"
import { beforeAll, expect, test, vi } from "vitest"
import vectors from "../../../../core/tokens/vectors/tokens.json" with { type: "json" }
import { requireValue } from "./honey-value.ts"
import { createTokenOpener, type TokenOpener } from "./token-opener.ts"

const inner = createTestKeyring()
let agreements = 0

/** An app whose keys were rotated once; counts the key agreements. */
const keyring: Keyring = {
  ...inner,
  async open(owner, wanted, part) {
    const opened = await inner.open(owner, wanted, part)
    if ("sharedSecret" in opened) countAgreements(await inner.open(owner, wanted, "private"))
    return opened
  },
}
beforeAll(async () => {
  for (let version = 0; version < 2; version++) await inner.addVersion(app)
})

function countAgreements(keyVersion: KeyVersion): void {
  if (vi.isMockFunction(keyVersion.sharedSecret)) return
  const { sharedSecret } = keyVersion
  vi.spyOn(keyVersion, "sharedSecret").mockImplementation((...given) => {
    agreements++
    return sharedSecret(...given)
  })
}

/** Creates a client with one ephemeral key, sealing to a version of the app. */
async function createClient(version: 1 | 2) {
  const { publicKeys } = await inner.open(app, version, "public")
  const ecdh = createECDH("secp256k1")
  const point = ecdh.generateKeys()
  if (publicKeys.secp256k1 === null) throw new Error("The version has no key on secp256k1")
  const secret = ecdh.computeSecret(publicKeys.secp256k1)
  const prefix = Buffer.from(vectors.derPrefixes.secp256k1, "hex")
  const derived = createHash("sha256")
    .update(secret)
    .update(Buffer.of(0, 0, 0, 1))
    .update(prefix)
    .update(point)
  const keys = { none: secret, x963: derived.digest() }
  return (derivation: "none" | "x963", text: string): string => {
    const iv = randomBytes(12)
    const cipher = createCipheriv("aes-256-gcm", keys[derivation], iv)
    const ciphertext = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
    const segments = [iv, ecdh.getPublicKey(null, "compressed"), ciphertext]
    const encoded = segments.map((bytes) => bytes.toString("base64").replace(/=+$/, ""))
    return ["ev", "RFVC", ...encoded, "$"].join(":")
  }
}

async function open(opener: TokenOpener, text: string): Promise<string> {
  const token = parseToken(text)
  if (token === null) throw new Error("Not a token")
  return requireValue(await opener.openToken(token)).value.toString()
}

test.each([1, 2] as const)(
  "opens values of one ephemeral key and version %d in either derivation, in any order",
  async (version) => {
    const seal = await createClient(version)
    const opener = createTokenOpener(keyring, app)
    for (const derivation of ["x963", "none", "none", "x963"] as const) {
      expect(await open(opener, seal(derivation, derivation))).toBe(derivation)
    }
  },
)

test("makes one key agreement for the values of a client that seals with one derivation, either one", async () => {
  for (const derivation of ["none", "x963"] as const) {
    const seal = await createClient(2)
    const opener = createTokenOpener(keyring, app)
    agreements = 0
    for (const text of ["a", "b", "c"]) expect(await open(opener, seal(derivation, text))).toBe(text)
    expect(agreements).toBe(1)
  }
})

test("makes one key agreement for each of many ephemeral keys that are read again and again", async () => {
  const clients = await Promise.all(Array.from({ length: 250 }, () => createClient(2)))
  const opener = createTokenOpener(keyring, app)
  agreements = 0
  for (const text of ["a", "b"]) {
    for (const seal of clients) expect(await open(opener, seal("x963", text))).toBe(text)
  }
  expect(agreements).toBe(250)
})

test("refuses what neither derivation opens with the same error, after one key agreement per version", async () => {
  const opener = createTokenOpener(keyring, app)
  const seal = await createClient(2)
  expect(await open(opener, seal("none", "a"))).toBe("a")
  agreements = 0
  const segments = seal("none", "abcd").split(":")
  const ciphertext = segments.at(-2) ?? ""
  const flipped = segments.with(-2, (ciphertext.startsWith("A") ? "B" : "A") + ciphertext.slice(1)).join(":")
  await expect(open(opener, flipped)).rejects.toBeInstanceOf(InvalidTokenError)
  expect(agreements).toBe((await inner.versions(app)).length)
})

test("opens a large file in steps, even one of an older version, and refuses a changed one", async () => {
  let taken = 0
  let nowMs = 0
  const turns = createTurns({
    now: () => nowMs++,
    defer(task) {
      taken++
      queueMicrotask(task)
    },
    sliceMs: 0,
  })
  const bytes = Buffer.alloc(1_000_000, "sealway")
  for (const version of [1, 2] as const) {
    const file = sealFile(bytes, (await inner.open(app, version, "public")).sealingKeys.current(1))
    const opener = createTokenOpener(keyring, app, turns)
    taken = 0
    expect(await opener.openFile(parseFile(file))).toEqual(bytes)
    // The newest version is tried first.
    expect(taken).toBeGreaterThan(version === 1 ? 5 : 2)
    const { ciphertext, ...header } = parseFile(file)
    const changed = Buffer.from(ciphertext)
    changed[7] = (changed[7] ?? 0) ^ 1
    const other = createTokenOpener(keyring, app, turns)
    await expect(other.openFile({ ...header, ciphertext: changed })).rejects.toThrow(InvalidTokenError)
  }
})
