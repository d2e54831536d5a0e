import type { Platform } from "@sealway/http"
import { createFirstApps, findFirstApps, issueFirstKeys } from "@sealway/management"
import { KeyFileError, PartsMismatchError } from "../cloud/errors.ts"
import type { EmbeddedCloud } from "../cloud/start-embedded-cloud.ts"
import { ensureStageKey, hasStageKey } from "../stage/stage-key.ts"
import { type Credentials, readCredentials, writeCredentials } from "./credentials-file.ts"

/**
 * Returns the team and the two apps of a data folder: created at the first start, found at later ones. If the
 * credentials file was removed, issues new keys.
 *
 * @throws PartsMismatchError when the credentials file names a team that the tables do not have: it may be the only
 * copy of the keys, so it is never overwritten
 */
export async function ensureFirstApps(platform: Platform, dataFolder: string | null): Promise<Credentials> {
  const known = await findFirstApps(platform)
  const saved = dataFolder === null ? null : await readCredentials(dataFolder)
  if (saved !== null) {
    if (saved.teamId === known?.teamId) return saved
    throw new PartsMismatchError(
      `credentials.json in ${dataFolder} belongs to another team than the tables in dynamodb/. Nothing was changed. ` +
        "Restore the whole folder from one backup. If the tables are correct, remove credentials.json: the next start issues new keys.",
    )
  }
  const credentials = await issueFirstKeys(platform, known ?? (await createFirstApps(platform)))
  if (dataFolder !== null) await writeCredentials(dataFolder, credentials)
  return credentials
}

/**
 * Creates the stage's KMS key, unless a team exists: its apps' keys were encrypted under the missing key.
 *
 * @throws KeyFileError when the key is missing
 */
export async function ensureFirstStageKey(
  platform: Platform,
  cloud: Pick<EmbeddedCloud, "keyStore">,
): Promise<void> {
  if ((await findFirstApps(platform)) === null) return ensureStageKey(cloud)
  if (hasStageKey(cloud)) return
  throw new KeyFileError(
    "kms/keys.json does not have the key that the tables were encrypted with. Nothing was changed. " +
      "Restore the whole data folder from one backup.",
  )
}
