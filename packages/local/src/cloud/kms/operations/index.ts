import { createAlias } from "./create-alias.ts"
import { createKey } from "./create-key.ts"
import { decrypt } from "./decrypt.ts"
import { describeKey } from "./describe-key.ts"
import { encrypt } from "./encrypt.ts"
import type { KmsOperation } from "./operation.ts"

/** Every operation that the embedded KMS offers, by the name that `X-Amz-Target` carries. */
export const KMS_OPERATIONS: ReadonlyMap<string, KmsOperation> = new Map([
  ["TrentService.CreateAlias", createAlias],
  ["TrentService.CreateKey", createKey],
  ["TrentService.Decrypt", decrypt],
  ["TrentService.DescribeKey", describeKey],
  ["TrentService.Encrypt", encrypt],
])
