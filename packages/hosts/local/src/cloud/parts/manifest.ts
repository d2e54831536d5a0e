import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { errorCodeOf } from "@sealway/kernel"
import * as z from "zod"
import { VERSION } from "../../version.ts"
import { LaterVersionError, PartsMismatchError } from "../errors.ts"
import { writeFileDurably } from "../write-file-durably.ts"
import { isLaterRelease, isRelease } from "./release.ts"

export const MANIFEST_FILE = "manifest.json"

const MAX_MANIFEST_BYTES = 64 * 1024

const LAYOUT = 1

const manifestSchema = z.strictObject({
  /** The version of this file. */
  version: z.literal(LAYOUT),
  /** The folder's own id. Each part carries it too. */
  id: z.uuid(),
  createdAt: z.iso.datetime(),
  /**
   * The last version of Sealway that opened the folder. Earlier releases refuse the folder. Absent: a version that did
   * not record it.
   */
  openedBy: z.string().refine(isRelease).exactOptional(),
  /**
   * `creating`: parts may be missing, because the first start has not created them yet. `adopting`: the parts are from
   * an earlier version and may not carry the id yet. `complete`: all parts exist and carry the id.
   */
  state: z.enum(["creating", "adopting", "complete"]),
  parts: z.strictObject({
    keys: z.strictObject({ path: z.literal("kms/keys.json"), folderId: z.uuid() }),
    tables: z.strictObject({ path: z.literal("dynamodb/tables.db"), folderId: z.uuid() }),
  }),
  /** Null while the service runs, and after it was killed. */
  lastCleanStopAt: z.iso.datetime().nullable(),
})

/** The fields that every later layout has too. */
const writerSchema = z.looseObject({
  version: z.int().optional(),
  openedBy: z.string().refine(isRelease).nullable().catch(null),
})

/** The description of a data folder, in `manifest.json`. */
export type Manifest = z.infer<typeof manifestSchema>

export function newManifest(id: string, state: "creating" | "adopting", now: Date): Manifest {
  return {
    version: LAYOUT,
    id,
    createdAt: now.toISOString(),
    openedBy: VERSION,
    state,
    parts: {
      keys: { path: "kms/keys.json", folderId: id },
      tables: { path: "dynamodb/tables.db", folderId: id },
    },
    lastCleanStopAt: null,
  }
}

/**
 * Reads the manifest; null when the folder has none.
 *
 * @throws LaterVersionError when a later release has opened the folder
 * @throws PartsMismatchError when the manifest cannot be read
 */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const path = join(folder, MANIFEST_FILE)
  try {
    const bytes = await readFile(path)
    if (bytes.length > MAX_MANIFEST_BYTES) throw new RangeError("The manifest is too long")
    const content: unknown = JSON.parse(bytes.toString())
    refuseLaterVersion(path, content)
    return manifestSchema.parse(content)
  } catch (error) {
    if (error instanceof LaterVersionError) throw error
    if (errorCodeOf(error) === "ENOENT") return null
    throw new PartsMismatchError(
      `${path} is damaged. Restore the data folder from a backup. ` +
        "If only this file is damaged, remove it: the next start writes it again if the keys and tables belong together.",
      { cause: error },
    )
  }
}

export function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  return writeFileDurably(join(folder, MANIFEST_FILE), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
}

function refuseLaterVersion(path: string, content: unknown): void {
  const { version = LAYOUT, openedBy } = writerSchema.parse(content)
  const isLater = openedBy !== null && isLaterRelease(openedBy, VERSION)
  if (isLater || version > LAYOUT) throw new LaterVersionError(path, isLater ? openedBy : null)
}
