import { afterAll, beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { randomCredentials } from "../credentials.ts"
import type { RunningService } from "../loopback-server.ts"
import { signedRequest } from "../testing/signed-request.ts"
import { signatureVerifier } from "../verify-signature.ts"
import { startKms } from "./start-kms.ts"

const MARKER = "marker-7f3a"
const credentials = randomCredentials()
let kms: RunningService
let keyId: string

const answer = z.looseObject({
  CiphertextBlob: z.string().optional(),
  KeyMetadata: z.object({ KeyId: z.string() }).optional(),
  Plaintext: z.string().optional(),
})

beforeAll(async () => {
  kms = await startKms(null, signatureVerifier(credentials, ["kms"]))
  const { body } = await call("CreateKey", {})
  keyId = body.KeyMetadata?.KeyId ?? ""
})
afterAll(() => kms.close())

test("sends a request id and the protocol's content type with every answer", async () => {
  const { headers } = await call("DescribeKey", { KeyId: keyId })

  expect(headers.get("x-amzn-requestid")).toMatch(/^[0-9a-f-]{36}$/)
  expect(headers.get("content-type")).toBe("application/x-amz-json-1.1")
})

test("refuses unsigned requests with MissingAuthenticationTokenException", async () => {
  const { headers, body } = await signedRequest(
    kms.endpoint,
    requestTo("DescribeKey", JSON.stringify({ KeyId: keyId })),
  )
  const { authorization: _, ...unsigned } = headers

  const response = await fetch(kms.endpoint, { method: "POST", headers: unsigned, body })

  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ __type: "MissingAuthenticationTokenException" })
})

test("refuses a body that is not the signed one with InvalidSignatureException", async () => {
  const request = await signedRequest(
    kms.endpoint,
    requestTo("DescribeKey", JSON.stringify({ KeyId: keyId })),
  )

  const response = await fetch(kms.endpoint, { ...request, body: JSON.stringify({ KeyId: "alias/other" }) })

  expect(await response.json()).toMatchObject({ __type: "InvalidSignatureException" })
})

test.each(["GenerateDataKey", "encrypt", "", "__proto__"])(
  "refuses the operation %o with UnknownOperationException",
  async (operation) => {
    expect(await call(operation, {})).toMatchObject({
      status: 400,
      body: { __type: "UnknownOperationException" },
    })
  },
)

test("refuses another content type with UnknownOperationException", async () => {
  const request = { ...requestTo("DescribeKey", "{}"), headers: { "content-type": "application/json" } }

  const response = await fetch(kms.endpoint, await signedRequest(kms.endpoint, request))

  expect(await response.json()).toMatchObject({ __type: "UnknownOperationException" })
})

test.each([
  ["nothing", ""],
  ["cut-off JSON", '{"KeyId": "'],
  ["an array", "[]"],
  ["null", "null"],
  ["what is not UTF-8", Buffer.from('{"KeyId": "\xff"}', "latin1")],
])("refuses a body that is %s with SerializationException", async (_, text) => {
  const response = await fetch(
    kms.endpoint,
    await signedRequest(kms.endpoint, requestTo("DescribeKey", text)),
  )

  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ __type: "SerializationException" })
})

test.each([
  ["Plaintext", { Plaintext: "not base64!" }],
  ["Plaintext", { Plaintext: "YQ" }],
  ["Plaintext", { Plaintext: 1 }],
  ["KeyId", { KeyId: 1 }],
  ["EncryptionContext", { EncryptionContext: "a=b" }],
])("refuses a field %s of the wrong type with SerializationException", async (_, members) => {
  const valid = { KeyId: keyId, Plaintext: "YQ==" }

  expect(await call("Encrypt", { ...valid, ...members })).toMatchObject({
    body: { __type: "SerializationException" },
  })
})

test("refuses a body over 64 KiB with RequestEntityTooLargeException, and accepts one of 64 KiB", async () => {
  const ofLength = (length: number) => `{"KeyId": "${keyId}"}`.padEnd(length)
  const send = async (text: string) =>
    fetch(kms.endpoint, await signedRequest(kms.endpoint, requestTo("DescribeKey", text)))

  expect((await send(ofLength(65_536))).status).toBe(200)
  expect((await send(ofLength(65_537))).status).toBe(413)
})

test("accepts the largest plaintext and context that AWS accepts, with any escapes", async () => {
  const plaintext = Buffer.alloc(4096, "a").toString("base64")
  const context = `{"a": "${"\\u00e9".repeat(8191)}"}`
  const encrypted = await callWithText(
    "Encrypt",
    `{"KeyId": "${keyId}", "Plaintext": "${plaintext}", "EncryptionContext": ${context}}`,
  )

  const decrypted = await callWithText(
    "Decrypt",
    `{"CiphertextBlob": "${encrypted.body.CiphertextBlob}", "EncryptionContext": ${context}}`,
  )

  expect(decrypted.body.Plaintext).toBe(plaintext)
})

test.each([
  ["CreateKey", { KeySpec: "RSA_2048" }],
  ["CreateKey", { KeyUsage: "SIGN_VERIFY" }],
  ["CreateKey", { Policy: "{}" }],
  ["CreateKey", { MultiRegion: true }],
  ["Encrypt", { DryRun: true }],
  ["Decrypt", { Recipient: {} }],
])("refuses %s with %o with UnsupportedOperationException", async (operation, members) => {
  expect(await call(operation, members)).toMatchObject({
    status: 400,
    body: { __type: "UnsupportedOperationException" },
  })
})

test.each([
  ["an alias without its prefix", "CreateAlias", { AliasName: "name" }],
  ["a missing key", "Encrypt", { KeyId: undefined }],
  ["a missing plaintext", "Encrypt", { Plaintext: undefined }],
  ["an empty key of the encryption context", "Encrypt", { EncryptionContext: { "": "a" } }],
  ["an empty value of the encryption context", "Encrypt", { EncryptionContext: { a: "" } }],
  ["an unknown algorithm", "Encrypt", { EncryptionAlgorithm: "ROT13" }],
])("refuses with ValidationException %s", async (_, operation, members) => {
  const valid = { KeyId: keyId, Plaintext: "YQ==", TargetKeyId: keyId }

  expect(await call(operation, { ...valid, ...members })).toMatchObject({
    body: { __type: "ValidationException" },
  })
})

test("refuses an alias that belongs to AWS with NotAuthorizedException", async () => {
  expect(await call("CreateAlias", { AliasName: "alias/aws/s3", TargetKeyId: keyId })).toMatchObject({
    body: { __type: "NotAuthorizedException" },
  })
})

test("never repeats input in an error", async () => {
  const encoded = Buffer.from(MARKER).toString("base64")
  const refused = await Promise.all([
    call("Encrypt", { KeyId: MARKER, Plaintext: encoded }),
    call("Encrypt", { KeyId: keyId, Plaintext: encoded, EncryptionContext: { [MARKER]: "" } }),
    call("Encrypt", { KeyId: keyId, Plaintext: encoded, EncryptionContext: { a: { b: MARKER } } }),
    call("Encrypt", { KeyId: keyId, Plaintext: encoded.repeat(1000) }),
    call("Encrypt", { KeyId: keyId, Plaintext: `${MARKER}!` }),
    call("Decrypt", { CiphertextBlob: encoded }),
    call("CreateAlias", { AliasName: `${MARKER}!`, TargetKeyId: keyId }),
    call(MARKER, {}),
    callWithText("Encrypt", `{"Plaintext": "${encoded}" "${MARKER}`),
  ])

  for (const { status, body } of refused) {
    expect(status).toBe(400)
    expect(JSON.stringify(body)).not.toContain(MARKER)
    expect(JSON.stringify(body)).not.toContain(encoded)
  }
})

function requestTo(operation: string, body: string | Uint8Array) {
  return { service: "kms", target: `TrentService.${operation}`, body, credentials }
}

async function call(operation: string, members: object) {
  return callWithText(operation, JSON.stringify(members))
}

async function callWithText(operation: string, text: string) {
  const response = await fetch(kms.endpoint, await signedRequest(kms.endpoint, requestTo(operation, text)))
  return { status: response.status, headers: response.headers, body: answer.parse(await response.json()) }
}
