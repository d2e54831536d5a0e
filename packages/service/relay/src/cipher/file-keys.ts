import type { App } from "@sealway/accounts"
import { KeyUnavailableError } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import {
  candidateContentKeys,
  type FileKey,
  type FileKeysFor,
  isSymmetric,
  type SymmetricContent,
} from "@sealway/tokens"
import { isHoney } from "@sealway/vault"

/**
 * Returns the keys that a file of an app may have been sealed to, newest first: a file does not name its key version.
 * Those that the file's version does not name (`candidateContentKeys`) come last, because each key that is tried
 * decrypts the whole file.
 *
 * @param onHoney called with its mark when an authentic file was made of a honey token: nothing of it may be released
 */
export function createFileKeys(keyring: Keyring, app: App, onHoney: (mark: string) => void): FileKeysFor {
  return async (header) => {
    const checkOf = (honeyMarks: string) => ({
      onAuthentic() {
        if (isHoney(header.iv, honeyMarks)) onHoney(header.iv.toString("base64"))
      },
    })
    if (isSymmetric(header)) return symmetricKeys(keyring, app, header, checkOf)
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
        const rest = { appPublicKey, ...checkOf(keyVersion.honeyMarks(header.ephemeralPublicKey)) }
        if (contentKey !== undefined) keys.push({ contentKey, ...rest })
        otherKeys.push(...others.map((other) => ({ contentKey: other, ...rest })))
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
async function symmetricKeys(
  keyring: Keyring,
  app: App,
  header: SymmetricContent,
  checkOf: (honeyMarks: string) => Pick<FileKey, "onAuthentic">,
): Promise<FileKey[]> {
  if (!(await keyring.refreshedVersions(app)).includes(header.keyVersion)) return []
  const { symmetric, publicKeys, honeyMarks } = await keyring.open(app, header.keyVersion, "private")
  if (symmetric === null) return []
  const check = checkOf(honeyMarks(header.keySegment))
  return [{ contentKey: symmetric.contentKey(header), appPublicKey: publicKeys.prime256v1, ...check }]
}
