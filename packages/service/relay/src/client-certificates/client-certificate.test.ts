import "reflect-metadata"
import { KeyObject } from "node:crypto"
import * as x509 from "@peculiar/x509"
import { TEST_APP } from "@sealway/accounts/testing"
import type { ClientCertificateInput } from "@sealway/http/client-certificates"
import { createTestKeyring } from "@sealway/keys/testing"
import { beforeAll, describe, expect, test } from "vitest"
import { openClientCertificate, sealClientCertificate } from "./client-certificate.ts"

const RELAY = { id: "relay_1", destination: { scheme: "https", host: "api.example.com", port: 443 } } as const
const EXPIRES_AT = Date.UTC(2040, 0, 1)

let input: Extract<ClientCertificateInput, { format: "pem" }>
const keyring = createTestKeyring()

beforeAll(async () => {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=client, O=Example",
    notBefore: new Date(Date.UTC(2020, 0, 1)),
    notAfter: new Date(EXPIRES_AT),
    signingAlgorithm: algorithm,
    keys,
  })
  input = {
    format: "pem",
    certificate: certificate.toString("pem"),
    privateKey: KeyObject.from(keys.privateKey).export({ format: "pem", type: "pkcs8" }).toString(),
    password: null,
  }
  await keyring.addVersion(TEST_APP)
})

/** @param openingMs how long opening seems to take */
function seal(nowMs = 0, openingMs = 0) {
  let reads = 0
  const clocks = { wallClock: () => nowMs, now: () => openingMs * reads++ }
  return sealClientCertificate(keyring, TEST_APP, RELAY, input, clocks)
}

describe("a client certificate", () => {
  test("opens as sealed, in its place", async () => {
    const sealed = await seal()
    expect(sealed).toMatchObject({
      format: "pem",
      keyVersion: 1,
      expiresAt: EXPIRES_AT,
      subject: "CN=client, O=Example",
    })
    expect(await openClientCertificate(keyring, TEST_APP, RELAY, sealed)).toEqual(input)
    expect(Buffer.from(sealed.sealed).includes("PRIVATE KEY")).toBe(false)
  })

  test("opens with the key version that sealed it, after others were added", async () => {
    const sealed = await seal()
    await keyring.addVersion(TEST_APP)
    expect((await seal()).keyVersion).toBe(sealed.keyVersion + 1)
    expect(await openClientCertificate(keyring, TEST_APP, RELAY, sealed)).toEqual(input)
  })

  test.each([
    ["another relay", { ...RELAY, id: "relay_2" }],
    ["another host", { ...RELAY, destination: { ...RELAY.destination, host: "evil.example.com" } }],
    ["another port", { ...RELAY, destination: { ...RELAY.destination, port: 8443 } }],
  ])("does not open for %s", async (_what, place) => {
    const sealed = await seal()
    await expect(openClientCertificate(keyring, TEST_APP, place, sealed)).rejects.toThrow("does not open")
  })

  test("does not open when any bit is flipped", async () => {
    const sealed = await seal()
    const bytes = Buffer.from(sealed.sealed)
    bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20)
    const opened = openClientCertificate(keyring, TEST_APP, RELAY, { ...sealed, sealed: bytes })
    await expect(opened).rejects.toThrow("does not open")
  })

  test("is refused with invalid-request from the moment it expires", async () => {
    await expect(seal(EXPIRES_AT)).rejects.toMatchObject({
      code: "invalid-request",
      fields: [{ pointer: "/clientCertificate/certificate" }],
    })
    expect(await seal(EXPIRES_AT - 1)).toMatchObject({ expiresAt: EXPIRES_AT })
  })

  test("is refused with invalid-request when it takes more than two seconds to open", async () => {
    await expect(seal(0, 2_001)).rejects.toMatchObject({
      code: "invalid-request",
      fields: [{ pointer: "/clientCertificate/password" }],
    })
    expect(await seal(0, 2_000)).toMatchObject({ format: "pem" })
  })
})
