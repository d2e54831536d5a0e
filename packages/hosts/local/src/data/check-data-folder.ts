import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { lockDataFolder } from "../cloud/data-folder.ts"
import { type CheckedTable, checkDatabase } from "../cloud/dynamodb/store/check-database.ts"
import { readFolderId } from "../cloud/dynamodb/store/folder-id.ts"
import { refuseIncomplete } from "../cloud/dynamodb/store/lost-commits.ts"
import { openForReading } from "../cloud/dynamodb/store/open-for-reading.ts"
import { holdsTables, TABLES_FILE, withTables } from "../cloud/dynamodb/tables-file.ts"
import { DataFolderUnusableError, EmbeddedCloudError } from "../cloud/errors.ts"
import { decodeKeyFile, folderIdOf } from "../cloud/kms/key-file.ts"
import { readMasterKey } from "../cloud/kms/master-key.ts"
import { KEY_FILE, MASTER_KEY_FILE } from "../cloud/kms/open-key-store.ts"
import { CREDENTIALS_FILE, KEYS_FOLDER, TABLES_FOLDER } from "../cloud/parts/find-parts.ts"
import { judgeParts, type Part } from "../cloud/parts/judge-parts.ts"
import { type Manifest, readManifest } from "../cloud/parts/manifest.ts"

/** The result for one part of a data folder. */
export interface Finding {
  readonly part: "manifest" | "keys" | "tables" | "folder"
  readonly ok: boolean
  /** For people. */
  readonly detail: string
}

export interface DataFolderCheck {
  readonly ok: boolean
  readonly folder: string
  /** Null when the manifest cannot be read. */
  readonly id: string | null
  /** Null when the service was killed, or when it is not known. */
  readonly lastCleanStopAt: string | null
  readonly findings: readonly Finding[]
  readonly tables: readonly CheckedTable[]
}

/** How one part is checked and described. */
interface CheckedPart<Value> {
  readonly finding: Finding
  readonly value: Value | null
}

/**
 * Reads everything in a data folder, and changes nothing.
 *
 * @param onProgress receives the number of table rows read so far
 * @throws DataFolderInUseError while a service uses it; DataFolderUnusableError when it does not exist
 */
export async function checkDataFolder(
  folder: string,
  onProgress: (rows: number) => void,
): Promise<DataFolderCheck> {
  if (!existsSync(folder)) throw new DataFolderUnusableError(folder)
  const held = await lockDataFolder(folder)
  try {
    return await checkHeldFolder(folder, onProgress)
  } finally {
    held.release()
  }
}

/** Does the same for a folder that no other process uses. */
export async function checkHeldFolder(
  folder: string,
  onProgress: (rows: number) => void,
): Promise<DataFolderCheck> {
  const manifest = await checkPart("manifest", () => checkManifest(folder))
  const keys = await checkPart("keys", () => checkKeys(join(folder, KEYS_FOLDER)))
  const tables = await checkPart("tables", () => checkTables(join(folder, TABLES_FOLDER), onProgress))
  const fit = checkFit(folder, manifest.value, keys.value, tables.value)
  const findings = [manifest, keys, tables].map(({ finding }) => finding).concat(fit)
  return {
    ok: findings.every(({ ok }) => ok),
    folder,
    id: manifest.value?.id ?? null,
    lastCleanStopAt: manifest.value?.lastCleanStopAt ?? null,
    findings,
    tables: tables.value?.tables ?? [],
  }
}

async function checkPart<Value>(
  part: Finding["part"],
  check: () => Promise<{ ok: boolean; detail: string; value: Value | null }>,
): Promise<CheckedPart<Value>> {
  try {
    const { ok, detail, value } = await check()
    return { finding: { part, ok, detail }, value }
  } catch (error) {
    const detail = error instanceof EmbeddedCloudError ? error.message : "It is damaged or unreadable."
    return { finding: { part, ok: false, detail }, value: null }
  }
}

async function checkManifest(folder: string) {
  const value = await readManifest(folder)
  if (value === null) {
    const detail =
      "Missing: the folder belongs to an earlier version, or the file was removed. The next start writes it."
    return { ok: false, detail, value }
  }
  if (value.state !== "complete") {
    return { ok: false, detail: "The first start was interrupted. The next start completes it.", value }
  }
  return { ok: true, detail: `Folder ${value.id}, made ${value.createdAt}`, value }
}

async function checkKeys(folder: string) {
  const path = join(folder, KEY_FILE)
  if (!existsSync(path)) return { ok: false, detail: `${path} is missing.`, value: null }
  const masterKey = await readMasterKey(join(folder, MASTER_KEY_FILE))
  if (masterKey === null) {
    return { ok: false, detail: `${join(folder, MASTER_KEY_FILE)} is missing.`, value: null }
  }
  const text = await readFile(path, "utf8")
  const { keys } = decodeKeyFile(text, masterKey)
  const detail = `${keys.size} ${keys.size === 1 ? "key opens" : "keys open"} with the master key`
  return { ok: keys.size > 0, detail, value: { folderId: folderIdOf(text) } }
}

async function checkTables(folder: string, onProgress: (rows: number) => void) {
  const path = join(folder, TABLES_FILE)
  if (!holdsTables(folder) || !existsSync(path)) {
    return { ok: false, detail: `${path} is missing.`, value: null }
  }
  await withTables(folder, async () => refuseIncomplete(path))
  const database = openForReading(path)
  try {
    const { isSound, tables } = await checkDatabase(database, onProgress)
    const value = { folderId: readFolderId(database), tables }
    const [rows, damaged] = [sum(tables, "rows"), sum(tables, "damagedRows")]
    if (!isSound) return { ok: false, detail: "The database is damaged.", value }
    const detail = `${rows} rows in ${tables.length} tables`
    if (damaged === 0) return { ok: true, detail: `${detail}, all match their checksums`, value }
    return { ok: false, detail: `${detail}, ${damaged} do not match their checksums`, value }
  } finally {
    database.close()
  }
}

/** Does not mention missing or damaged parts, which are already reported. */
function checkFit(folder: string, manifest: Manifest | null, keys: Part, tables: Part): readonly Finding[] {
  if (keys === null || tables === null) return []
  const hasCredentials = existsSync(join(folder, CREDENTIALS_FILE))
  const judgement = judgeParts({ manifest, keys, tables, hasMasterKey: true, hasCredentials })
  if (judgement.kind !== "refuse") {
    return [{ part: "folder", ok: true, detail: "Manifest, keys and tables belong together" }]
  }
  const paths = judgement.faults.map(({ path }) => path).join(", ")
  return [{ part: "folder", ok: false, detail: `Not of this folder: ${paths}` }]
}

function sum(tables: readonly CheckedTable[], count: "rows" | "damagedRows"): number {
  return tables.reduce((total, table) => total + table[count], 0)
}
