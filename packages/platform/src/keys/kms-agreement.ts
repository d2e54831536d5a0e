import { setTimeout as delay } from "node:timers/promises"
import { ApiError, KeyUnavailableError } from "@sealway/kernel"
import { decodeSubjectPublicKey, encodeSubjectPublicKey } from "@sealway/tokens"
import type { Kms } from "../stage/aws-clients.ts"
import { isUnavailability } from "../stage/unavailability.ts"
import { createBoundedCalls } from "./bounded-calls.ts"

/** A private key on P-256 that KMS has created, and that never leaves it. */
export interface AgreementKey {
  readonly keyId: string
  /** Compressed, 33 bytes. */
  readonly publicKey: Buffer
}

/** The private keys that are in KMS. */
export interface KmsAgreement {
  /** @param tags how the key is found if its creator dies; see `sweepAgreementKeys` */
  createKey(tags: Readonly<Record<string, string>>): Promise<AgreementKey>
  /**
   * Computes the ECDH secret with an ephemeral key.
   *
   * @param ephemeralPublicKey compressed
   * @returns the x coordinate of the shared point, 32 bytes; null when the ephemeral key is not a point of the curve
   * @throws KeyUnavailableError when KMS cannot use the key at the moment
   * @throws ApiError `service-unavailable` when too many calls are waiting, or KMS throttles, fails or is unreachable
   * @throws any other error of the KMS client
   */
  agree(keyId: string, ephemeralPublicKey: Uint8Array): Promise<Buffer | null>
}

const UNAVAILABLE = new Set([
  "DisabledException",
  "KeyUnavailableException",
  "KMSInvalidStateException",
  "NotFoundException",
])

/**
 * How many agreements a process asks for at a time. KMS permits 1,000 a second in an account by default, and takes some
 * 10 ms for one.
 */
const CALLS = { maxInFlight: 32, maxWaiting: 2_000, maxWaitMs: 5_000 }
/** How often KMS is asked for a key that it has just created: it may not know it everywhere yet. */
const LOOKS = 6
const LOOK_PAUSE_MS = 100

export function createKmsAgreement(client: Kms): KmsAgreement {
  const calls = createBoundedCalls(CALLS)

  async function publicKeyOf(KeyId: string, looks = LOOKS, pauseMs = LOOK_PAUSE_MS): Promise<Buffer> {
    try {
      const { PublicKey } = await client.call("GetPublicKey", { KeyId })
      if (PublicKey === undefined) throw new Error("KMS answered GetPublicKey without a public key")
      return decodeSubjectPublicKey("prime256v1", PublicKey)
    } catch (error) {
      if (nameOf(error) !== "NotFoundException" || looks <= 1) throw error
    }
    await delay(pauseMs)
    return publicKeyOf(KeyId, looks - 1, 2 * pauseMs)
  }

  return {
    async createKey(tags) {
      const { KeyMetadata } = await client.call("CreateKey", {
        Description: "The private key of an app's key version",
        KeySpec: "ECC_NIST_P256",
        KeyUsage: "KEY_AGREEMENT",
        Tags: Object.entries(tags).map(([TagKey, TagValue]) => ({ TagKey, TagValue })),
      })
      const keyId = KeyMetadata?.KeyId
      if (keyId === undefined) throw new Error("KMS answered CreateKey without a key")
      return { keyId, publicKey: await publicKeyOf(keyId) }
    },

    async agree(KeyId, ephemeralPublicKey) {
      const PublicKey = encodeSubjectPublicKey("prime256v1", ephemeralPublicKey)
      if (PublicKey === null) return null
      const input = { KeyId, PublicKey, KeyAgreementAlgorithm: "ECDH" } as const
      try {
        const { SharedSecret } = await calls(() => client.call("DeriveSharedSecret", input))
        if (SharedSecret === undefined) throw new Error("KMS answered DeriveSharedSecret without a secret")
        return Buffer.from(SharedSecret)
      } catch (error) {
        const name = nameOf(error)
        if (name === "ValidationException") return null
        if (UNAVAILABLE.has(name)) throw new KeyUnavailableError({ cause: error })
        if (!isUnavailability(error)) throw error
        // As a refusal, so that relays answer it like the API.
        throw new ApiError("service-unavailable", "KMS is busy or unreachable. Try again shortly.", {
          ...{ cause: error, headers: { "retry-after": "1" } },
        })
      }
    },
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ""
}
