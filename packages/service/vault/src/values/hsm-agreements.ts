import { type MaybePromise, PayloadTooLargeError } from "@sealway/kernel"
import type { KeyVersion } from "@sealway/keys"
import type { AgreedContent } from "@sealway/tokens"

/** How many key agreements in KMS one request may take: each costs money, time and a part of the account's quota. */
export const MAX_HSM_AGREEMENTS = 200

const REFUSAL = `The request takes more than ${MAX_HSM_AGREEMENTS} key agreements in the HSM. Send fewer values at a time. Values that POST /rewrap converts together share one.`

/** Asks key versions in an HSM for shared secrets. */
export interface HsmAgreements {
  /**
   * Returns the shared secret of a token or a file with a key version.
   *
   * @throws PayloadTooLargeError for more than 200
   */
  agree(keyVersion: KeyVersion, sealed: AgreedContent): MaybePromise<Buffer>
  /** How many were asked for. */
  count(): number
}

/** Creates what counts the agreements of one request. Those with the same ephemeral key and version count once. */
export function createHsmAgreements(): HsmAgreements {
  const asked = new Map<string, MaybePromise<Buffer>>()
  return {
    agree(keyVersion, sealed) {
      const id = `${keyVersion.version}/${sealed.ephemeralPublicKeyBase64}`
      const known = asked.get(id)
      if (known !== undefined) return known
      if (asked.size >= MAX_HSM_AGREEMENTS) throw new PayloadTooLargeError(REFUSAL)
      const secret = keyVersion.sharedSecret(sealed.curve, sealed.ephemeralPublicKey)
      asked.set(id, secret)
      return secret
    },
    count: () => asked.size,
  }
}
