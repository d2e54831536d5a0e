import { existsSync } from "node:fs"
import { join } from "node:path"
import { holdsTables, readTablesFolderId } from "../dynamodb/tables-file.ts"
import { folderIdOf, readKeyFile } from "../kms/key-file.ts"
import { KEY_FILE, MASTER_KEY_FILE } from "../kms/open-key-store.ts"
import type { FoundParts } from "./judge-parts.ts"
import { readManifest } from "./manifest.ts"

export const KEYS_FOLDER = "kms"
export const TABLES_FOLDER = "dynamodb"
export const CREDENTIALS_FILE = "credentials.json"

/**
 * Reads the parts of a data folder. The caller holds the folder.
 *
 * @throws PartsMismatchError, KeyFileError, TablesDamagedError, DataFolderUnusableError when a part cannot be read
 */
export async function findParts(folder: string): Promise<FoundParts> {
  const [keysFolder, tablesFolder] = [join(folder, KEYS_FOLDER), join(folder, TABLES_FOLDER)]
  const manifest = await readManifest(folder)
  const keyText = await readKeyFile(join(keysFolder, KEY_FILE))
  return {
    manifest,
    keys: keyText === null ? null : { folderId: folderIdOf(keyText) },
    hasMasterKey: existsSync(join(keysFolder, MASTER_KEY_FILE)),
    tables: holdsTables(tablesFolder) ? { folderId: await readTablesFolderId(tablesFolder) } : null,
    hasCredentials: existsSync(join(folder, CREDENTIALS_FILE)),
  }
}
