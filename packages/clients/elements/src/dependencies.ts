import type { Directory } from "@sealway/accounts"
import type { Keyring } from "@sealway/keys"

/** What the frames' endpoints need. */
export interface ElementsDependencies {
  readonly directory: Directory
  readonly keyring: Keyring
}
