import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { VERSION } from "../../version.ts"
import type { LostCommits } from "../dynamodb/store/store-errors.ts"
import { acceptLostWrites, markTables } from "../dynamodb/tables-file.ts"
import { DataFolderUnusableError, EmbeddedCloudError, OTHERS_STAY, PartsMismatchError } from "../errors.ts"
import { markKeys } from "../kms/open-key-store.ts"
import { findParts, KEYS_FOLDER, TABLES_FOLDER } from "./find-parts.ts"
import { type Fault, type Judgement, judgeParts } from "./judge-parts.ts"
import { type Manifest, newManifest, readManifest, writeManifest } from "./manifest.ts"
import { moveAside } from "./move-aside.ts"

export interface AdmitOptions {
  /**
   * Whether to go on with tables that lack writes which were answered, and to empty a data folder whose parts do not belong
   * together, and start over.
   */
  readonly acceptLoss: boolean
  readonly now: () => Date
}

/** A data folder whose parts are complete and belong together. */
export interface AdmittedDataFolder {
  /** Where the rest of an inconsistent folder was moved; usually null. */
  readonly lostTo: string | null
  /** The writes that are missing from the tables, as was accepted; usually null. */
  readonly lostCommits: LostCommits | null
  /** Records that everything was closed; after a start that was refused, that nothing has changed since the last stop. */
  recordStop(isRefused: boolean): Promise<void>
}

/**
 * Checks that the parts of a data folder belong together, before anything opens them. Creates the parts of a new
 * folder, and gives the parts of a folder of an earlier version an id. Each step is durable before the next one starts,
 * so the next start continues an interrupted one. The caller holds the folder.
 *
 * @throws PartsMismatchError when they do not belong together, and `acceptLoss` is not given
 * @throws TablesIncompleteError when writes that were answered are missing, and `acceptLoss` is not given
 * @throws LaterVersionError when a later release has used the folder, whatever is accepted
 * @throws KeyFileError, MasterKeyError, TablesDamagedError, DataFolderUnusableError
 */
export async function admitDataFolder(
  folder: string,
  { acceptLoss, now }: AdmitOptions,
): Promise<AdmittedDataFolder> {
  try {
    const known = await readManifest(folder)
    const lostCommits = acceptLoss ? await acceptLostWrites(join(folder, TABLES_FOLDER), now()) : null
    const lostTo = await admit(folder, known, acceptLoss, now())
    const before = lostTo === null ? (known?.lastCleanStopAt ?? null) : null
    return {
      lostTo,
      lostCommits,
      async recordStop(isRefused) {
        const manifest = await readManifest(folder)
        if (manifest === null) return
        const lastCleanStopAt = isRefused ? before : now().toISOString()
        await writeManifest(folder, { ...manifest, lastCleanStopAt })
      },
    }
  } catch (error) {
    if (error instanceof EmbeddedCloudError) throw error
    throw new DataFolderUnusableError(folder, { cause: error })
  }
}

async function admit(
  folder: string,
  manifest: Manifest | null,
  acceptLoss: boolean,
  now: Date,
): Promise<string | null> {
  const judgement = judgeParts(await findParts(folder))
  if (judgement.kind !== "refuse") {
    await settle(folder, judgement, manifest, now)
    return null
  }
  if (!acceptLoss) throw new PartsMismatchError(refusalOf(folder, judgement.faults))
  const lostTo = await moveAside(folder, now)
  await settle(folder, { kind: "create", id: null }, null, now)
  return lostTo
}

async function settle(
  folder: string,
  judgement: Exclude<Judgement, { kind: "refuse" }>,
  known: Manifest | null,
  now: Date,
): Promise<void> {
  if (judgement.kind === "open") {
    // Before anything else is written: from here on, earlier releases may not be able to read the folder.
    if (known !== null && (known.lastCleanStopAt !== null || known.openedBy !== VERSION)) {
      await writeManifest(folder, { ...known, openedBy: VERSION, lastCleanStopAt: null })
    }
    return
  }
  const state = judgement.kind === "create" ? "creating" : "adopting"
  const manifest = known ?? newManifest(judgement.id ?? randomUUID(), state, now)
  if (known?.openedBy !== VERSION) await writeManifest(folder, { ...manifest, openedBy: VERSION })
  await markTables(join(folder, TABLES_FOLDER), manifest.id)
  await markKeys(join(folder, KEYS_FOLDER), manifest.id)
  await writeManifest(folder, { ...manifest, openedBy: VERSION, state: "complete", lastCleanStopAt: null })
}

function refusalOf(folder: string, faults: readonly Fault[]): string {
  const found = faults.map(({ kind, path }) =>
    kind === "missing" ? `${path} is missing` : `${path} does not belong to this folder`,
  )
  // Tables of a backup do not know what was erased since, so they are restored by `sealway data restore`.
  const areKeysMissing = faults.every(({ kind, path }) => kind === "missing" && path.startsWith("kms/"))
  const remedy = areKeysMissing
    ? `Restore what is missing from a backup. ${OTHERS_STAY}`
    : "Restore the whole folder from one backup."
  return [
    `The parts of the data folder ${folder} do not belong together: ${found.join(", ")}.`,
    `Nothing was changed. ${remedy}`,
    "To start over instead, use --accept-loss. This permanently loses all teams, apps and their keys,",
    "roles, policies, functions, relays and logs. Values that were encrypted with this folder can never be decrypted again.",
    `The remaining files are moved to ${join(folder, "lost-<time>")}.`,
  ].join("\n")
}
