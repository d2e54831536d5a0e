import {
  CreateAliasCommand,
  CreateKeyCommand,
  DescribeKeyCommand,
  type KMSClient,
  NotFoundException,
} from "@aws-sdk/client-kms"

/** The alias of the stage's KMS key. */
export const STAGE_KEY_ALIAS = "alias/sealway"

/** True when the stage's KMS key exists. */
export async function hasStageKey(client: KMSClient): Promise<boolean> {
  try {
    await client.send(new DescribeKeyCommand({ KeyId: STAGE_KEY_ALIAS }))
    return true
  } catch (error) {
    if (error instanceof NotFoundException) return false
    throw error
  }
}

/** Creates the stage's KMS key if there is none. */
export async function ensureStageKey(client: KMSClient): Promise<void> {
  if (await hasStageKey(client)) return
  const { KeyMetadata } = await client.send(new CreateKeyCommand({ Description: "Sealway's app keys" }))
  await client.send(new CreateAliasCommand({ AliasName: STAGE_KEY_ALIAS, TargetKeyId: KeyMetadata?.KeyId }))
}
