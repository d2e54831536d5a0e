import { EMBEDDED_ACCOUNT_ID, keyArn } from "./key-identifier.ts"
import type { KmsKey } from "./key-store.ts"

/** https://docs.aws.amazon.com/kms/latest/APIReference/API_KeyMetadata.html */
export function keyMetadata({ id, description, createdAt }: KmsKey): object {
  return {
    AWSAccountId: EMBEDDED_ACCOUNT_ID,
    Arn: keyArn(id),
    CreationDate: createdAt.getTime() / 1000,
    CustomerMasterKeySpec: "SYMMETRIC_DEFAULT",
    Description: description,
    Enabled: true,
    EncryptionAlgorithms: ["SYMMETRIC_DEFAULT"],
    KeyId: id,
    KeyManager: "CUSTOMER",
    KeySpec: "SYMMETRIC_DEFAULT",
    KeyState: "Enabled",
    KeyUsage: "ENCRYPT_DECRYPT",
    MultiRegion: false,
    Origin: "AWS_KMS",
  }
}
