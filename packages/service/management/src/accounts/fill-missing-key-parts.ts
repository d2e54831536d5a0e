import { listAppIds } from "@sealway/accounts"
import type { Platform } from "@sealway/http"
import { fillKeyParts } from "@sealway/keys"
import { findFirstApps } from "./first-apps.ts"

/** Says that all key versions had their parts, for a day: an older release may have created some since. */
const FILLED = { pk: "key-parts", sk: "filled" }
const FILLED_SECONDS = 86_400

/**
 * Adds the parts that key versions of earlier releases do not have, of all apps. A failure of one app does not stop the
 * others.
 *
 * @param signal stops before the next app when it is aborted. Default: never
 * @returns how many key versions got their parts
 * @throws Error when an app's key versions could not be completed
 */
export async function fillMissingKeyParts(
  {
    configTable,
    keysTable,
    envelope,
    log,
    wallClock,
  }: Pick<Platform, "configTable" | "keysTable" | "envelope" | "log" | "wallClock">,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const first = await findFirstApps({ configTable })
  if (first === null || (await configTable.get(FILLED)) !== null) return 0
  let filled = 0
  let failed = 0
  for await (const id of listAppIds(configTable, first.teamId)) {
    if (signal.aborted) return filled
    try {
      filled += await fillKeyParts({ keysTable, envelope }, { id, teamId: first.teamId })
    } catch (error) {
      failed++
      log.error("an app's key versions could not be completed", { error })
    }
  }
  if (failed > 0) throw new Error(`The key versions of ${failed} apps could not be completed`)
  const expiresAt = Math.floor(wallClock() / 1000) + FILLED_SECONDS
  await configTable.put(FILLED, { expiresAt })
  return filled
}
