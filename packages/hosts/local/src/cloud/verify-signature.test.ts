import { createServer, type IncomingMessage } from "node:http"
import { KMSClient, ListKeysCommand } from "@aws-sdk/client-kms"
import { expect, onTestFinished, test } from "vitest"
import { EMBEDDED_REGION, randomCredentials } from "./credentials.ts"
import { closeServer, listenOnLoopback } from "./loopback-server.ts"
import { type RequestToSign, signedRequest } from "./testing/signed-request.ts"
import { matchesSignedHash, type SignatureRefusal, signatureVerifier } from "./verify-signature.ts"

const credentials = randomCredentials()
const REQUEST: RequestToSign = { service: "kms", target: "TrentService.Encrypt", body: "{}", credentials }

test("accepts a request signed with the credentials for the service", async () => {
  const { endpoint, outcome } = await verifyingServer(["kms"])

  await fetch(endpoint, await signedRequest(endpoint, REQUEST))

  expect(await outcome).toBeNull()
})

test("accepts requests of the AWS SDK", async () => {
  const { endpoint, outcome } = await verifyingServer(["kms"])
  const client = new KMSClient({ endpoint, credentials, region: EMBEDDED_REGION, maxAttempts: 1 })
  onTestFinished(() => client.destroy())

  await client.send(new ListKeysCommand({})).catch(() => undefined)

  expect(await outcome).toBeNull()
})

test("refuses with MissingAuthenticationTokenException when nothing is signed", async () => {
  const { endpoint, outcome } = await verifyingServer(["kms"])

  await fetch(endpoint, { method: "POST", body: "{}" })

  expect(await outcome).toMatchObject({ type: "MissingAuthenticationTokenException" })
})

test.each([
  "Bearer token",
  "AWS4-HMAC-SHA256",
  "AWS4-HMAC-SHA256 Credential=a, SignedHeaders=host, Signature=00",
])("refuses with IncompleteSignatureException when the header is %o", async (authorization) => {
  const { endpoint, outcome } = await verifyingServer(["kms"])
  const request = await signedRequest(endpoint, REQUEST)

  await fetch(endpoint, { ...request, headers: { ...request.headers, authorization } })

  expect(await outcome).toMatchObject({ type: "IncompleteSignatureException" })
})

test("refuses with IncompleteSignatureException when the date is invalid", async () => {
  const { endpoint, outcome } = await verifyingServer(["kms"])
  const request = await signedRequest(endpoint, REQUEST)

  await fetch(endpoint, { ...request, headers: { ...request.headers, "x-amz-date": "20259999T999999Z" } })

  expect(await outcome).toMatchObject({ type: "IncompleteSignatureException" })
})

test("refuses with UnrecognizedClientException when the access key is a different one", async () => {
  const { endpoint, outcome } = await verifyingServer(["kms"])

  await fetch(endpoint, await signedRequest(endpoint, { ...REQUEST, credentials: randomCredentials() }))

  expect(await outcome).toMatchObject({ type: "UnrecognizedClientException" })
})

test("refuses with InvalidSignatureException when the secret is a different one", async () => {
  const { endpoint, outcome } = await verifyingServer(["kms"])
  const forged = { ...credentials, secretAccessKey: randomCredentials().secretAccessKey }

  await fetch(endpoint, await signedRequest(endpoint, { ...REQUEST, credentials: forged }))

  expect(await outcome).toMatchObject({ type: "InvalidSignatureException" })
})

test("refuses with InvalidSignatureException when the request was signed for another service", async () => {
  const { endpoint, outcome } = await verifyingServer(["kms"])

  await fetch(endpoint, await signedRequest(endpoint, { ...REQUEST, service: "sqs" }))

  expect(await outcome).toMatchObject({ type: "InvalidSignatureException" })
})

test.each([
  ["the path", "/other", {}],
  ["the query", "/?a=b", {}],
  ["a signed header", "/", { "x-amz-target": "TrentService.Decrypt" }],
  ["the hash of the body", "/", { "x-amz-content-sha256": "0".repeat(64) }],
])("refuses with InvalidSignatureException when %s was changed", async (_, path, headers) => {
  const { endpoint, outcome } = await verifyingServer(["kms"])
  const request = await signedRequest(endpoint, REQUEST)

  await fetch(`${endpoint}${path}`, { ...request, headers: { ...request.headers, ...headers } })

  expect(await outcome).toMatchObject({ type: "InvalidSignatureException" })
})

test("refuses with InvalidSignatureException when an unsigned x-amz- header was added", async () => {
  const { endpoint, outcome } = await verifyingServer(["kms"])
  const request = await signedRequest(endpoint, REQUEST)

  await fetch(endpoint, { ...request, headers: { ...request.headers, "x-amz-copy-source": "/other/object" } })

  expect(await outcome).toMatchObject({ type: "InvalidSignatureException" })
})

test("distinguishes the signed body from another", () => {
  const headers = {
    "x-amz-content-sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
  }

  expect(matchesSignedHash(headers, Buffer.from("{}"))).toBe(true)
  expect(matchesSignedHash(headers, Buffer.from("{ }"))).toBe(false)
  expect(matchesSignedHash({}, Buffer.from("{}"))).toBe(false)
})

/** Starts a server that verifies its first request. */
async function verifyingServer(
  services: Parameters<typeof signatureVerifier>[1],
): Promise<{ endpoint: string; outcome: Promise<SignatureRefusal | null> }> {
  const verify = signatureVerifier(credentials, services)
  const { promise: outcome, resolve, reject } = Promise.withResolvers<SignatureRefusal | null>()
  const server = createServer((request: IncomingMessage, response) => {
    verify(request)
      .then(resolve, reject)
      .finally(() => response.end("{}"))
  })
  const endpoint = await listenOnLoopback(server)
  onTestFinished(() => closeServer(server))
  return { endpoint, outcome }
}
