import type { App } from "@sealway/accounts"
import type { Keyring } from "@sealway/keys"

/** The numbers of the versions that are known, newest first; then those of a fresh list, for what others have added. */
export async function* versionNumbers(keyring: Keyring, app: App): AsyncGenerator<number> {
  yield* await keyring.versions(app)
  yield* await keyring.refreshedVersions(app)
}
