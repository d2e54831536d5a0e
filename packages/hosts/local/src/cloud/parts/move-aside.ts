import { existsSync } from "node:fs"
import { mkdir, rename } from "node:fs/promises"
import { join } from "node:path"
import { syncFolder } from "../write-file-durably.ts"
import { CREDENTIALS_FILE, KEYS_FOLDER, TABLES_FOLDER } from "./find-parts.ts"
import { MANIFEST_FILE } from "./manifest.ts"

/** The manifest is last: while it exists, the start after an interruption refuses the folder again. */
const OWN_NAMES = ["env", "lambda", "s3", TABLES_FOLDER, KEYS_FOLDER, CREDENTIALS_FILE, MANIFEST_FILE]

/** Moves everything left of a data folder into a new folder within it, whose path is returned. Deletes nothing. */
export async function moveAside(folder: string, now: Date): Promise<string> {
  const target = join(folder, `lost-${now.toISOString().replace(/[^0-9TZ]/g, "")}`)
  await mkdir(target, { mode: 0o700 })
  for (const name of OWN_NAMES) {
    if (existsSync(join(folder, name))) await rename(join(folder, name), join(target, name))
  }
  await syncFolder(target)
  await syncFolder(folder)
  return target
}
