import { ApiError } from "@sealway/kernel"
import { type AgreementKey, isUnavailability, type Keys } from "@sealway/ports"
import { encodeSubjectPublicKey } from "@sealway/tokens"
import { createBoundedCalls } from "./bounded-calls.ts"

/** The private keys that are in KMS. */
export interface KmsAgreement {
  /** @param tags how the key is found if its creator dies; see `sweepHsmKeys` */
  createKey(tags: Readonly<Record<string, string>>): Promise<AgreementKey>
  /**
   * Computes the ECDH secret with an ephemeral key.
   *
   * @param ephemeralPublicKey compressed
   * @returns the x coordinate of the shared point, 32 bytes; null when the ephemeral key is not a point of the curve
   * @throws KeyUnavailableError when KMS cannot use the key at the moment
   * @throws ApiError `service-unavailable` when too many calls are waiting, or KMS throttles, fails or is unreachable
   * @throws any other error of `Keys`
   */
  agree(keyId: string, ephemeralPublicKey: Uint8Array): Promise<Buffer | null>
}

/**
 * How many agreements a process asks for at a time. KMS permits 1,000 a second in an account by default, and takes some
 * 10 ms for one.
 */
const CALLS = { maxInFlight: 32, maxWaiting: 2_000, maxWaitMs: 5_000 }

export function createKmsAgreement(keys: Pick<Keys, "createAgreementKey" | "agree">): KmsAgreement {
  const calls = createBoundedCalls(CALLS)
  return {
    createKey: (tags) => keys.createAgreementKey(tags),
    async agree(keyId, ephemeralPublicKey) {
      const encoded = encodeSubjectPublicKey("prime256v1", ephemeralPublicKey)
      // What can have no answer takes no turn.
      if (encoded === null) return null
      try {
        return await calls(() => keys.agree(keyId, encoded))
      } catch (error) {
        if (!isUnavailability(error)) throw error
        // As a refusal, so that relays answer it like the API.
        throw new ApiError("service-unavailable", "KMS is busy or unreachable. Try again shortly.", {
          cause: error,
          headers: { "retry-after": "1" },
        })
      }
    },
  }
}
