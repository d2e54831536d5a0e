/** A secret as it is stored: readable with the app's keys only. */
export interface SealedSecret {
  /** The version of the app's keys that it is sealed with. */
  readonly keyVersion: number
  readonly sealed: Uint8Array
  /** Epoch milliseconds from which on it signs no more; null for the one that is in force until the next rotation. */
  readonly expiresAt: number | null
}

/** A URL of a customer that takes events. */
export interface WebhookEndpoint {
  readonly id: string
  readonly appId: string
  readonly url: string
  /** See `takesEvent`. */
  readonly events: readonly string[]
  readonly description: string | null
  /** A disabled endpoint takes no events. */
  readonly status: "enabled" | "disabled"
  /** Newest first. */
  readonly secrets: readonly SealedSecret[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
  /** Counts changes. */
  readonly revision: number
}

/** The secrets that sign at a moment, newest first. @param atMs epoch milliseconds */
export function secretsInForce({ secrets }: WebhookEndpoint, atMs: number): readonly SealedSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > atMs)
}
