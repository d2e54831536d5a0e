import {
  CreateAliasCommand,
  CreateKeyCommand,
  DescribeKeyCommand,
  type KMSClient,
  NotFoundException,
} from "@aws-sdk/client-kms"

/** By which the stage's KMS key is known. */
export const STAGE_KEY_ALIAS = "alias/sealway"

/** Creates the stage's KMS key where there is none. */
export async function ensureStageKey(client: KMSClient): Promise<void> {
  try {
    await client.send(new DescribeKeyCommand({ KeyId: STAGE_KEY_ALIAS }))
  } catch (error) {
    if (!(error instanceof NotFoundException)) throw error
    const { KeyMetadata } = await client.send(new CreateKeyCommand({ Description: "Sealway's app keys" }))
    await client.send(new CreateAliasCommand({ AliasName: STAGE_KEY_ALIAS, TargetKeyId: KeyMetadata?.KeyId }))
  }
}
