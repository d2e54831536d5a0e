import { join } from "node:path"
import { MasterKeyError, OTHERS_STAY } from "../errors.ts"
import { createFolderDurably } from "../write-file-durably.ts"
import { decodeKeyFile, folderIdOf, readKeyFile, writeKeyFile } from "./key-file.ts"
import { EMPTY_KEY_STORE, KeyStore, type KeyStoreContent } from "./key-store.ts"
import { createMasterKey, readMasterKey } from "./master-key.ts"

export const MASTER_KEY_FILE = "master-key"
export const KEY_FILE = "keys.json"

/**
 * Opens the keys in a folder (created, mode 0700, if missing): `master-key`, generated on the first start, and
 * `keys.json`, whose secrets it wraps. Null keeps the keys in memory.
 *
 * @throws MasterKeyError, KeyFileError when either file cannot be used; a missing master key is never replaced while
 * keys exist, because that would make everything encrypted so far unreadable.
 */
export async function openKeyStore(folder: string | null): Promise<KeyStore> {
  if (folder === null) return new KeyStore(EMPTY_KEY_STORE, async () => undefined)
  const { content, save } = await openKeys(folder)
  return new KeyStore(content, (changed) => save(changed))
}

/**
 * Writes the id of their data folder into the key file, creating the files if needed.
 *
 * @throws MasterKeyError, KeyFileError
 */
export async function markKeys(folder: string, folderId: string): Promise<void> {
  const { content, save } = await openKeys(folder)
  await save(content, folderId)
}

interface OpenKeys {
  readonly content: KeyStoreContent
  /** @param folderId Default: the one in the file. */
  save(content: KeyStoreContent, folderId?: string): Promise<void>
}

async function openKeys(folder: string): Promise<OpenKeys> {
  await createFolderDurably(folder)
  const masterKeyPath = join(folder, MASTER_KEY_FILE)
  const keyFilePath = join(folder, KEY_FILE)
  const [text, existing] = await Promise.all([readKeyFile(keyFilePath), readMasterKey(masterKeyPath)])
  if (text !== null && existing === null) {
    throw new MasterKeyError(
      `The master key file ${masterKeyPath} is missing. Restore it from a backup. ${OTHERS_STAY}`,
    )
  }
  const masterKey = existing ?? (await createMasterKey(masterKeyPath))
  const content = text === null ? EMPTY_KEY_STORE : decodeKeyFile(text, masterKey)
  const ownId = text === null ? null : folderIdOf(text)
  return {
    content,
    save: (changed, folderId) => writeKeyFile(keyFilePath, changed, masterKey, folderId ?? ownId),
  }
}
