import type { App, Keyring } from "@sealway/platform"
import { deriveContentKey, type FileKey, type FileKeysFor } from "@sealway/tokens"

/** The keys that a file of an app may have been sealed to, newest first: a file does not name its key version. */
export function createFileKeys(keyring: Keyring, app: App): FileKeysFor {
  return async (header) => {
    const keys: FileKey[] = []
    for (const version of await keyring.refreshedVersions(app)) {
      const keyVersion = await keyring.open(app, version)
      const sharedSecret = await keyVersion.sharedSecret(header.curve, header.ephemeralPublicKey)
      keys.push({
        contentKey: deriveContentKey(header, sharedSecret),
        appPublicKey: keyVersion.publicKeys[header.curve],
      })
    }
    return keys
  }
}
