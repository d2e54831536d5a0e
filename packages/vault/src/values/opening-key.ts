import type { MaybePromise } from "@sealway/kernel"
import type { KeptKey } from "@sealway/platform"

/** What opens a token, and what a honey token beside it is sealed with. */
export interface OpeningKey extends KeptKey {
  /** Compressed, 33 bytes. */
  readonly appPublicKey: Buffer
}

/** Opens something with its key. */
export type Open<Opened> = (key: OpeningKey) => MaybePromise<Opened>

/**
 * How many keys a request keeps, those that it used last. A key object that lives as long as a request for 10,000 values
 * ends with thousands of others in one pause of the garbage collector.
 */
export const MAX_KEYS = 200
