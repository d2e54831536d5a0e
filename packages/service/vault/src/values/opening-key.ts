import type { MaybePromise } from "@sealway/kernel"
import type { KeptKey } from "@sealway/keys"

/** What opens a token, and what a honey token beside it is sealed with. */
export interface OpeningKey extends KeptKey {
  /** Compressed, 33 bytes. */
  readonly appPublicKey: Buffer
}

/** Opens something with its key. */
export type Open<Opened> = (key: OpeningKey) => MaybePromise<Opened>
