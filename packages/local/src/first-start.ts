import { createFirstApps, findFirstApps, issueFirstKeys } from "@sealway/management"
import type { Platform } from "@sealway/platform"
import { type Credentials, readCredentials, writeCredentials } from "./credentials-file.ts"

/**
 * The team and the two apps of a data folder: made at the first start, found at later ones. Where the credentials
 * file was removed, new keys are issued; where there is no data either, everything is made anew.
 */
export async function ensureFirstApps(platform: Platform, dataFolder: string | null): Promise<Credentials> {
  const known = await findFirstApps(platform)
  const saved = known === null || dataFolder === null ? null : await readCredentials(dataFolder)
  if (saved !== null) return saved

  const credentials = await issueFirstKeys(platform, known ?? (await createFirstApps(platform)))
  if (dataFolder !== null) await writeCredentials(dataFolder, credentials)
  return credentials
}
