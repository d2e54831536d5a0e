import { KMSClient } from "@aws-sdk/client-kms"
import { encodeSubjectPublicKey } from "@sealway/tokens"
import { beforeEach, expect, test } from "vitest"
import { createKmsKeys } from "./kms-keys.ts"

const GENERATOR = Buffer.from("036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296", "hex")
const SPKI = encodeSubjectPublicKey("prime256v1", GENERATOR) ?? Buffer.alloc(0)

type Call = readonly [operation: string, input: Record<string, unknown>]
type Answer = object | { readonly __type: string }

let sent: Call[] = []
/** Returns what KMS answers; a `__type` is the name of an error. */
let answer: (...call: Call) => Answer = () => ({})

const keys = createKmsKeys(
  new KMSClient({
    region: "eu-west-1",
    credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    requestHandler: {
      async handle({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) {
        const operation = String(headers["x-amz-target"]).replace("TrentService.", "")
        const call = [operation, JSON.parse(new TextDecoder().decode(body))] as const
        sent.push(call)
        const answered = answer(...call)
        const response = { statusCode: "__type" in answered ? 400 : 200, headers: {} }
        return { response: { ...response, body: Buffer.from(JSON.stringify(answered)) } }
      },
    },
  }),
)

beforeEach(() => {
  sent = []
})

test("seals and opens with the names of KMS's API, and bytes in base64", async () => {
  answer = (operation) => (operation === "Encrypt" ? { CiphertextBlob: "AP8=" } : { Plaintext: "AQ==" })
  expect(await keys.seal("alias/a", Uint8Array.of(1), { app: "1" })).toEqual(Uint8Array.of(0, 255))
  expect(await keys.open("alias/a", Uint8Array.of(0, 255), { app: "1" })).toEqual(Uint8Array.of(1))
  const common = { KeyId: "alias/a", EncryptionContext: { app: "1" } }
  expect(sent).toEqual([
    ["Encrypt", { ...common, Plaintext: "AQ==" }],
    ["Decrypt", { ...common, CiphertextBlob: "AP8=" }],
  ])
})

test.each(["InvalidCiphertextException", "IncorrectKeyException"])(
  "reports %s as an invalid ciphertext",
  async (name) => {
    answer = () => ({ __type: name })
    const opened = keys.open("a", Uint8Array.of(1), {})
    await expect(opened).rejects.toMatchObject({ name: "InvalidCiphertextException", cause: { name } })
  },
)

test("asks again for the public key of a key that KMS does not know everywhere yet", async () => {
  answer = (operation) => {
    if (operation === "CreateKey") return { KeyMetadata: { KeyId: "k" } }
    return sent.length < 3 ? { __type: "NotFoundException" } : { PublicKey: SPKI.toString("base64") }
  }
  expect(await keys.createAgreementKey({ a: "b" })).toEqual({ keyId: "k", publicKey: GENERATOR })
  expect(sent.map(([operation]) => operation)).toEqual(["CreateKey", "GetPublicKey", "GetPublicKey"])
  expect(sent[0]?.[1]).toMatchObject({
    KeySpec: "ECC_NIST_P256",
    KeyUsage: "KEY_AGREEMENT",
    Tags: [{ TagKey: "a", TagValue: "b" }],
  })
})

test.each(["DisabledException", "KeyUnavailableException", "KMSInvalidStateException", "NotFoundException"])(
  "reports %s as a key that cannot be used",
  async (name) => {
    answer = () => ({ __type: name })
    const agreed = keys.agree("k", SPKI)
    await expect(agreed).rejects.toMatchObject({ name: "KeyUnavailableError", cause: { name } })
  },
)

test("agrees on nothing with what KMS takes for no point", async () => {
  answer = () => ({ __type: "ValidationException" })
  expect(await keys.agree("k", SPKI)).toBeNull()
  const PublicKey = SPKI.toString("base64")
  expect(sent).toEqual([["DeriveSharedSecret", { KeyId: "k", PublicKey, KeyAgreementAlgorithm: "ECDH" }]])
})

test("lists page by page the keys for key agreement with all tags that are in use, and none of others", async () => {
  const KINDS: Readonly<Record<string, object>> = {
    ours: { KeyUsage: "KEY_AGREEMENT", CreationDate: 1.5 },
    symmetric: { KeyUsage: "ENCRYPT_DECRYPT", CreationDate: 1 },
    deleted: { KeyUsage: "KEY_AGREEMENT", CreationDate: 1, DeletionDate: 2 },
  }
  const tags = [
    { TagKey: "stage", TagValue: "a" },
    { TagKey: "app", TagValue: "1" },
  ]
  answer = (operation, { KeyId, Marker }) => {
    if (operation === "ListKeys") {
      const page = Marker === undefined ? ["denied", "untagged", "symmetric"] : ["deleted", "ours"]
      return { Keys: page.map((id) => ({ KeyId: id })), ...(Marker === undefined && { NextMarker: "m" }) }
    }
    if (KeyId === "denied") return { __type: "AccessDeniedException" }
    if (operation === "ListResourceTags") return { Tags: KeyId === "untagged" ? tags.slice(1) : tags }
    return { KeyMetadata: KINDS[String(KeyId)] ?? {} }
  }
  const found = await Array.fromAsync(keys.listAgreementKeys({ stage: "a" }))
  const all = new Map(tags.map(({ TagKey, TagValue }) => [TagKey, TagValue]))
  expect(found).toEqual([{ keyId: "ours", tags: all, createdAt: 1_500 }])
  expect(sent.filter(([operation]) => operation === "ListKeys")).toHaveLength(2)
})
