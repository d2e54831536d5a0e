import { createAlias } from "./create-alias.ts"
import { createKey } from "./create-key.ts"
import { decrypt } from "./decrypt.ts"
import { describeKey } from "./describe-key.ts"
import { encrypt } from "./encrypt.ts"
import type { KmsOperation } from "./operation.ts"

/** Every operation of the embedded KMS, by its name in `X-Amz-Target`. */
export const KMS_OPERATIONS: ReadonlyMap<string, KmsOperation> = new Map([
  ["TrentService.CreateAlias", createAlias],
  ["TrentService.CreateKey", createKey],
  ["TrentService.Decrypt", decrypt],
  ["TrentService.DescribeKey", describeKey],
  ["TrentService.Encrypt", encrypt],
])
