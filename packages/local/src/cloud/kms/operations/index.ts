import { createAlias } from "./create-alias.ts"
import { createKey } from "./create-key.ts"
import { decrypt } from "./decrypt.ts"
import { deriveSharedSecret } from "./derive-shared-secret.ts"
import { describeKey } from "./describe-key.ts"
import { encrypt } from "./encrypt.ts"
import { getPublicKey } from "./get-public-key.ts"
import { listKeys } from "./list-keys.ts"
import { listResourceTags } from "./list-resource-tags.ts"
import type { KmsOperation } from "./operation.ts"
import { scheduleKeyDeletion } from "./schedule-key-deletion.ts"

/** Every operation of the embedded KMS, by its name in `X-Amz-Target`. */
export const KMS_OPERATIONS: ReadonlyMap<string, KmsOperation> = new Map([
  ["TrentService.CreateAlias", createAlias],
  ["TrentService.CreateKey", createKey],
  ["TrentService.Decrypt", decrypt],
  ["TrentService.DeriveSharedSecret", deriveSharedSecret],
  ["TrentService.DescribeKey", describeKey],
  ["TrentService.Encrypt", encrypt],
  ["TrentService.GetPublicKey", getPublicKey],
  ["TrentService.ListKeys", listKeys],
  ["TrentService.ListResourceTags", listResourceTags],
  ["TrentService.ScheduleKeyDeletion", scheduleKeyDeletion],
])
