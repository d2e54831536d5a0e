import type { EmbeddedCloud } from "../cloud/start-embedded-cloud.ts"

/** The alias of the stage's key. */
export const STAGE_KEY_ALIAS = "alias/sealway"

/** True when the stage's key exists. */
export function hasStageKey({ keyStore }: Pick<EmbeddedCloud, "keyStore">): boolean {
  return keyStore.find(STAGE_KEY_ALIAS) !== null
}

/** Creates the stage's key if there is none. */
export async function ensureStageKey({ keyStore }: Pick<EmbeddedCloud, "keyStore">): Promise<void> {
  await keyStore.ensureKey(STAGE_KEY_ALIAS, "Sealway's app keys")
}
