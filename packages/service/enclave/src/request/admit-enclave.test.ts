import { generateKeyPairSync } from "node:crypto"
import { TEST_APP } from "@sealway/accounts/testing"
import { createMemoryTable } from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import { InvalidAttestationError } from "../attestation/invalid-attestation-error.ts"
import type { Attestation } from "../attestation/verify-attestation.ts"
import { admitEnclave } from "./admit-enclave.ts"
import { bindRequest } from "./request-binding.ts"

const NOW_MS = 1_700_000_000_500
const DATA = Buffer.from('{"a":1}')
const publicKey = generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey.export({
  format: "der",
  type: "spki",
})
const attestation = (changes: Partial<Attestation> = {}): Attestation => ({
  id: "document",
  moduleId: "module",
  timestampMs: NOW_MS,
  pcrs: { pcr0: "00" },
  publicKey,
  userData: bindRequest(TEST_APP.id, DATA),
  nonce: null,
  ...changes,
})
const registration = { id: "enclave_1", name: "A", pcrs: { pcr0: "00" }, createdAt: 1, revision: 1 }

interface Given {
  readonly isRegistered?: boolean
  /** What the document says; an error when it is not valid. */
  readonly verified?: Attestation | Error
}

function setUp({ isRegistered = true, verified = attestation() }: Given = {}) {
  const eventsTable = createMemoryTable()
  const admit = (hasApiKey: boolean, data: Uint8Array = DATA) =>
    admitEnclave(
      {
        verifyAttestation: async () => {
          if (verified instanceof Error) throw verified
          return verified
        },
        enclaves: { find: async () => (isRegistered ? registration : null), forget: () => {} },
        eventsTable,
        wallClock: () => NOW_MS,
      },
      { app: TEST_APP, hasApiKey, attestation: new Uint8Array(), data },
    )
  return { eventsTable, admit }
}
const REFUSED = { code: "unauthorized" }

describe("an enclave", () => {
  test("is admitted with an API key, or by its registration, and named", async () => {
    for (const [isRegistered, hasApiKey, registrationId] of [
      [true, false, "enclave_1"],
      [true, true, "enclave_1"],
      [false, true, null],
    ] as const) {
      const { identity, pcrs, key } = await setUp({ isRegistered }).admit(hasApiKey)
      expect(identity).toEqual({ moduleId: "module", pcr0: "00", registrationId })
      expect([pcrs, key.algorithm]).toEqual([{ pcr0: "00" }, "ECDH-ES"])
    }
    await expect(setUp({ isRegistered: false }).admit(false)).rejects.toMatchObject(REFUSED)
  })

  test("is admitted once for a document, which is remembered until it is twice as old as it may be", async () => {
    const { admit, eventsTable } = setUp()
    await admit(false)
    const [used] = eventsTable.items.values()
    expect(used?.expiresAt).toBe(Math.ceil((NOW_MS + 2 * 5 * 60_000) / 1000))
    await expect(admit(false)).rejects.toMatchObject(REFUSED)
    await expect(admit(true)).rejects.toMatchObject(REFUSED)
  })

  test("uses up no document by a request that is refused", async () => {
    const { admit, eventsTable } = setUp()
    await expect(admit(true, Buffer.from("other"))).rejects.toMatchObject(REFUSED)
    expect(eventsTable.items.size).toBe(0)
    await admit(true)
  })

  test.each<[string, Attestation | Error]>([
    ["names no request", attestation({ userData: null })],
    ["is bound to another request", attestation({ userData: bindRequest("app_2", DATA) })],
    ["has no key", attestation({ publicKey: null })],
    ["is not valid", new InvalidAttestationError()],
  ])("is refused with unauthorized when its document %s", async (_, verified) => {
    await expect(setUp({ verified }).admit(true)).rejects.toMatchObject(REFUSED)
  })

  test("is not told to be refused when the service fails", async () => {
    const failure = new Error("The thread has died")
    await expect(setUp({ verified: failure }).admit(true)).rejects.toBe(failure)
  })
})
