import type { Directory, Keyring } from "@sealway/platform"

/** What the frames' endpoints need. */
export interface ElementsDependencies {
  readonly directory: Directory
  readonly keyring: Keyring
}
