import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { MasterKeyError } from "../errors.ts"
import { decodeKeyFile, folderIdOf, readKeyFile, writeKeyFile } from "./key-file.ts"
import { EMPTY_KEY_STORE, KeyStore, type KeyStoreContent } from "./key-store.ts"
import { createMasterKey, readMasterKey } from "./master-key.ts"

export const MASTER_KEY_FILE = "master-key"
export const KEY_FILE = "keys.json"

/**
 * Opens the keys kept in a folder (made, mode 0700, where it is missing): `master-key`, drawn at the first start,
 * and `keys.json`, whose secrets are wrapped by it. Null keeps the keys in memory.
 *
 * @throws MasterKeyError, KeyFileError when either file cannot be used; a missing master key is never replaced while
 *   keys exist, for that would make everything encrypted so far unreadable.
 */
export async function openKeyStore(folder: string | null): Promise<KeyStore> {
  if (folder === null) return new KeyStore(EMPTY_KEY_STORE, async () => undefined)
  const { content, save } = await openKeys(folder)
  return new KeyStore(content, (changed) => save(changed))
}

/**
 * Gives the keys of a folder the id of their data folder; makes the files where there are none.
 *
 * @throws MasterKeyError, KeyFileError
 */
export async function markKeys(folder: string, folderId: string): Promise<void> {
  const { content, save } = await openKeys(folder)
  await save(content, folderId)
}

interface OpenKeys {
  readonly content: KeyStoreContent
  /** @param folderId Default: the one that the file has. */
  save(content: KeyStoreContent, folderId?: string): Promise<void>
}

async function openKeys(folder: string): Promise<OpenKeys> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const masterKeyPath = join(folder, MASTER_KEY_FILE)
  const keyFilePath = join(folder, KEY_FILE)
  const [text, existing] = await Promise.all([readKeyFile(keyFilePath), readMasterKey(masterKeyPath)])
  if (text !== null && existing === null) {
    throw new MasterKeyError(`The master key file ${masterKeyPath} is missing. Restore it from a backup.`)
  }
  const masterKey = existing ?? (await createMasterKey(masterKeyPath))
  const content = text === null ? EMPTY_KEY_STORE : decodeKeyFile(text, masterKey)
  const ownId = text === null ? null : folderIdOf(text)
  return {
    content,
    save: (changed, folderId) => writeKeyFile(keyFilePath, changed, masterKey, folderId ?? ownId),
  }
}
