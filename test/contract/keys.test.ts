import { createPublicKey, diffieHellman, generateKeyPairSync } from "node:crypto"
import { ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import type { Keys } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"
import { createMemoryKeys } from "@sealway/ports/testing"
import { encodeSubjectPublicKey } from "@sealway/tokens"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { SET_UP_TIMEOUT_MS, uniqueName } from "./service-under-test.ts"

interface KeysUnderTest {
  readonly keys: Keys
  /** A symmetric key. */
  readonly key: string
  close(): unknown
}

const {
  SEALWAY_CONTRACT_KMS_ENDPOINT: endpoint,
  SEALWAY_CONTRACT_KMS_KEY: kmsKey = "",
  AWS_REGION: region = "us-east-1",
} = process.env

/**
 * KMS only where `SEALWAY_CONTRACT_KMS_ENDPOINT` says where it is (`aws`: AWS itself) and `SEALWAY_CONTRACT_KMS_KEY`
 * names a symmetric key in it.
 */
const PLACES: [string, () => Promise<KeysUnderTest>][] = [
  ["in memory", async () => ({ keys: createMemoryKeys(), key: "alias/a", close() {} })],
  [
    "of one machine",
    async () => {
      const cloud = await startEmbeddedCloud({ dataFolder: null, tables: [], queues: [] })
      await ensureStageKey(cloud)
      return { keys: cloud.keys, key: "alias/sealway", close: () => cloud.close() }
    },
  ],
]
if (endpoint !== undefined) {
  const endpoints = endpoint === "aws" ? {} : { kms: endpoint }
  PLACES.push([
    "in KMS",
    async () => {
      const { keys, destroy } = createAwsClients({ region, endpoints })
      return { keys, key: kmsKey, close: destroy }
    },
  ])
}

const SECRET = Buffer.from("secret")
const CONTEXT = { team: "t", app: "a" }
const INVALID = { name: "InvalidCiphertextException" }
const UNUSABLE = { name: "KeyUnavailableError" }
const CURVE = "prime256v1"

describe.each(PLACES)("keys %s", (_place, start) => {
  let under: KeysUnderTest
  let keys: Keys
  let key: string
  const TAGS = { "sealway:contract": uniqueName() }

  beforeAll(async () => {
    under = await start()
    keys = under.keys
    key = under.key
  }, SET_UP_TIMEOUT_MS)
  afterAll(async () => {
    for await (const { keyId } of keys.listAgreementKeys(TAGS)) await keys.scheduleDeletion(keyId, 7)
    await under.close()
  }, SET_UP_TIMEOUT_MS)

  const tagsOfOne = () => ({ ...TAGS, "sealway:key": uniqueName() })
  const listed = (tags: Record<string, string>) => Array.fromAsync(keys.listAgreementKeys(tags))

  test("open what they sealed, up to 4,096 bytes, with the context in any order", async () => {
    for (const plaintext of [SECRET, new Uint8Array(4_096).fill(255)]) {
      const sealed = await keys.seal(key, plaintext, { team: "t", app: "a" })
      const opened = await keys.open(key, sealed, { app: "a", team: "t" })
      expect(Buffer.from(opened)).toEqual(Buffer.from(plaintext))
    }
    const empty = await keys.seal(key, SECRET, {})
    expect(Buffer.from(await keys.open(key, empty, {}))).toEqual(SECRET)
  })

  test.each([
    ["missing", {}],
    ["short of a pair", { team: "t" }],
    ["longer by a pair", { ...CONTEXT, version: "1" }],
    ["another in a value", { ...CONTEXT, app: "b" }],
    ["another in the case of a value", { ...CONTEXT, app: "A" }],
    ["another in the case of a key", { team: "t", App: "a" }],
    ["exchanged between keys", { team: "a", app: "t" }],
    ["moved over a boundary", { team: "ta", pp: "a" }],
  ])("refuse with InvalidCiphertextException when the context is %s", async (_, context: object) => {
    const sealed = await keys.seal(key, SECRET, CONTEXT)
    await expect(keys.open(key, sealed, { ...context })).rejects.toMatchObject(INVALID)
  })

  test.each([
    ["cut off by a byte", (sealed: Uint8Array) => sealed.subarray(0, -1)],
    ["cut off to a byte", (sealed: Uint8Array) => sealed.subarray(0, 1)],
    ["longer by a byte", (sealed: Uint8Array) => Buffer.concat([sealed, Buffer.of(0)])],
    ["changed at its end", (sealed: Uint8Array) => flipped(sealed, sealed.length - 1)],
    ["changed at its beginning", (sealed: Uint8Array) => flipped(sealed, 0)],
    ["something else", () => Buffer.from("not a ciphertext")],
  ])("refuse with InvalidCiphertextException when the ciphertext is %s", async (_, change) => {
    const sealed = await keys.seal(key, SECRET, CONTEXT)
    await expect(keys.open(key, change(sealed), CONTEXT)).rejects.toMatchObject(INVALID)
  })

  test("refuse to use a symmetric key that does not exist", async () => {
    const sealed = await keys.seal(key, SECRET, CONTEXT)
    await expect(keys.open(`alias/${uniqueName()}`, sealed, CONTEXT)).rejects.toThrow()
  })

  test("compute the secret that the other side computes", async () => {
    const { keyId, publicKey } = await keys.createAgreementKey(tagsOfOne())
    expect(publicKey).toHaveLength(33)
    const { privateKey, spki } = newPair(CURVE)
    const encoded = encodeSubjectPublicKey(CURVE, publicKey) ?? Buffer.alloc(0)
    const there = createPublicKey({ key: encoded, format: "der", type: "spki" })
    expect(await keys.agree(keyId, spki)).toEqual(diffieHellman({ privateKey, publicKey: there }))
  })

  test("compute null with what is no public key of the curve", async () => {
    const { keyId } = await keys.createAgreementKey(tagsOfOne())
    const { spki } = newPair(CURVE)
    const offCurve = flipped(spki, spki.length - 1)
    for (const other of [offCurve, newPair("secp256k1").spki, newPair("secp384r1").spki, spki.subarray(1)])
      expect(await keys.agree(keyId, other)).toBeNull()
  })

  test("list key pairs by all of their tags", async () => {
    const tags = tagsOfOne()
    const { keyId } = await keys.createAgreementKey(tags)
    await keys.createAgreementKey(tagsOfOne())
    const [found, ...others] = await listed(tags)
    expect(others).toEqual([])
    expect(found).toEqual({ keyId, tags: new Map(Object.entries(tags)), createdAt: expect.any(Number) })
    expect(await listed({ ...tags, "sealway:key": "another" })).toEqual([])
    expect((await listed(TAGS)).length).toBeGreaterThan(1)
  })

  test("use and list no key pair any more that is going to be deleted, nor one that does not exist", async () => {
    const tags = tagsOfOne()
    const { keyId } = await keys.createAgreementKey(tags)
    const { spki } = newPair(CURVE)
    await keys.scheduleDeletion(keyId, 7)
    expect(await listed(tags)).toEqual([])
    await expect(keys.agree(keyId, spki)).rejects.toMatchObject(UNUSABLE)
    const unknown = "00000000-0000-4000-8000-000000000000"
    await expect(keys.agree(unknown, spki)).rejects.toMatchObject(UNUSABLE)
  })
})

function newPair(namedCurve: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve })
  return { privateKey, spki: publicKey.export({ format: "der", type: "spki" }) }
}

function flipped(sealed: Uint8Array, at: number): Uint8Array {
  return sealed.map((byte, index) => (index === at ? byte ^ 1 : byte))
}
