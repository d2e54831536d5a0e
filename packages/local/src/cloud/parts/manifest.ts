import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { errorCodeOf } from "@sealway/kernel"
import * as z from "zod"
import { PartsMismatchError } from "../errors.ts"
import { writeFileDurably } from "../write-file-durably.ts"

export const MANIFEST_FILE = "manifest.json"

const MAX_MANIFEST_BYTES = 64 * 1024

const manifestSchema = z.strictObject({
  version: z.literal(1),
  /** The folder's own. Each part carries it too. */
  id: z.uuid(),
  createdAt: z.iso.datetime(),
  /**
   * `creating`: parts may be missing, because the first start has not made them yet. `adopting`: the parts are those
   * of an earlier version and may not carry the id yet. `complete`: all parts are there and carry the id.
   */
  state: z.enum(["creating", "adopting", "complete"]),
  parts: z.strictObject({
    keys: z.strictObject({ path: z.literal("kms/keys.json"), folderId: z.uuid() }),
    tables: z.strictObject({ path: z.literal("dynamodb/tables.db"), folderId: z.uuid() }),
  }),
  /** Null while the service runs, and after it was killed. */
  lastCleanStopAt: z.iso.datetime().nullable(),
})

/** What a data folder says about itself, in `manifest.json`. */
export type Manifest = z.infer<typeof manifestSchema>

export function newManifest(id: string, state: "creating" | "adopting", now: Date): Manifest {
  return {
    version: 1,
    id,
    createdAt: now.toISOString(),
    state,
    parts: {
      keys: { path: "kms/keys.json", folderId: id },
      tables: { path: "dynamodb/tables.db", folderId: id },
    },
    lastCleanStopAt: null,
  }
}

/** Null: the folder has none. @throws PartsMismatchError when it cannot be read */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const path = join(folder, MANIFEST_FILE)
  try {
    const bytes = await readFile(path)
    if (bytes.length > MAX_MANIFEST_BYTES) throw new RangeError("The manifest is too long")
    return manifestSchema.parse(JSON.parse(bytes.toString()))
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return null
    throw new PartsMismatchError(
      `${path} is damaged, or was written by a later version of Sealway. Restore the data folder from a backup. ` +
        "If only this file is damaged, remove it: the next start writes it again, provided that keys and tables fit together.",
      { cause: error },
    )
  }
}

export function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  return writeFileDurably(join(folder, MANIFEST_FILE), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
}
