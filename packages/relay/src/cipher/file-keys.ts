import { KeyUnavailableError } from "@sealway/kernel"
import type { App, Keyring } from "@sealway/platform"
import {
  candidateContentKeys,
  type FileKey,
  type FileKeysFor,
  isSymmetric,
  type SymmetricContent,
} from "@sealway/tokens"

/**
 * Returns the keys that a file of an app may have been sealed to, newest first: a file does not name its key version.
 * Those that the file's version does not name (`candidateContentKeys`) come last, because each key that is tried
 * decrypts the whole file.
 */
export function createFileKeys(keyring: Keyring, app: App): FileKeysFor {
  return async (header) => {
    if (isSymmetric(header)) return symmetricKeys(keyring, app, header)
    const keys: FileKey[] = []
    const otherKeys: FileKey[] = []
    let unavailable: KeyUnavailableError | null = null
    for (const version of await keyring.refreshedVersions(app)) {
      const keyVersion = await keyring.open(app, version, "private")
      const appPublicKey = keyVersion.publicKeys[header.curve]
      if (appPublicKey === null) continue
      try {
        const sharedSecret = await keyVersion.sharedSecret(header.curve, header.ephemeralPublicKey)
        const [contentKey, ...others] = candidateContentKeys(header, sharedSecret)
        if (contentKey !== undefined) keys.push({ contentKey, appPublicKey })
        otherKeys.push(...others.map((other) => ({ contentKey: other, appPublicKey })))
      } catch (error) {
        if (!(error instanceof KeyUnavailableError)) throw error
        unavailable = error
      }
    }
    if (keys.length === 0 && unavailable !== null) throw unavailable
    return [...keys, ...otherKeys]
  }
}

/** A symmetric file names its key version. Returns no key when the app has no such version, or it has no value key. */
async function symmetricKeys(keyring: Keyring, app: App, header: SymmetricContent): Promise<FileKey[]> {
  if (!(await keyring.refreshedVersions(app)).includes(header.keyVersion)) return []
  const { symmetric, publicKeys } = await keyring.open(app, header.keyVersion, "private")
  if (symmetric === null) return []
  return [{ contentKey: symmetric.contentKey(header), appPublicKey: publicKeys.prime256v1 }]
}
