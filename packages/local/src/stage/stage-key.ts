import { isAwsError, type Kms } from "@sealway/platform"

/** The alias of the stage's KMS key. */
export const STAGE_KEY_ALIAS = "alias/sealway"

/** True when the stage's KMS key exists. */
export async function hasStageKey(client: Kms): Promise<boolean> {
  try {
    await client.call("DescribeKey", { KeyId: STAGE_KEY_ALIAS })
    return true
  } catch (error) {
    if (isAwsError(error, "NotFoundException")) return false
    throw error
  }
}

/** Creates the stage's KMS key if there is none. */
export async function ensureStageKey(client: Kms): Promise<void> {
  if (await hasStageKey(client)) return
  const { KeyMetadata } = await client.call("CreateKey", { Description: "Sealway's app keys" })
  await client.call("CreateAlias", { AliasName: STAGE_KEY_ALIAS, TargetKeyId: KeyMetadata?.KeyId })
}
