import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { MasterKeyError } from "../errors.ts"
import { decodeKeyFile, readKeyFile, writeKeyFile } from "./key-file.ts"
import { EMPTY_KEY_STORE, KeyStore } from "./key-store.ts"
import { createMasterKey, readMasterKey } from "./master-key.ts"

/**
 * Opens the keys kept in a folder (made, mode 0700, where it is missing): `master-key`, drawn at the first start,
 * and `keys.json`, whose secrets are wrapped by it. Null keeps the keys in memory.
 *
 * @throws MasterKeyError, KeyFileError when either file cannot be used; a missing master key is never replaced while
 *   keys exist, for that would make everything encrypted so far unreadable.
 */
export async function openKeyStore(folder: string | null): Promise<KeyStore> {
  if (folder === null) return new KeyStore(EMPTY_KEY_STORE, async () => undefined)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const masterKeyPath = join(folder, "master-key")
  const keyFilePath = join(folder, "keys.json")
  const [text, existing] = await Promise.all([readKeyFile(keyFilePath), readMasterKey(masterKeyPath)])
  if (text !== null && existing === null) {
    throw new MasterKeyError(`The master key file ${masterKeyPath} is missing. Restore it from a backup.`)
  }
  const masterKey = existing ?? (await createMasterKey(masterKeyPath))
  const content = text === null ? EMPTY_KEY_STORE : decodeKeyFile(text, masterKey)
  return new KeyStore(content, (changed) => writeKeyFile(keyFilePath, changed, masterKey))
}
