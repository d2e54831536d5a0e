import { EMBEDDED_ACCOUNT_ID } from "../credentials.ts"
import { keyArn } from "./key-identifier.ts"
import type { KmsKey } from "./key-store.ts"

/** https://docs.aws.amazon.com/kms/latest/APIReference/API_KeyMetadata.html */
export function keyMetadata({ id, description, createdAt, spec, deletionDate }: KmsKey): object {
  return {
    ...(spec === "SYMMETRIC_DEFAULT"
      ? { EncryptionAlgorithms: ["SYMMETRIC_DEFAULT"], KeyUsage: "ENCRYPT_DECRYPT" }
      : { KeyAgreementAlgorithms: ["ECDH"], KeyUsage: "KEY_AGREEMENT" }),
    ...(deletionDate !== null && { DeletionDate: deletionDate.getTime() / 1000 }),
    AWSAccountId: EMBEDDED_ACCOUNT_ID,
    Arn: keyArn(id),
    CreationDate: createdAt.getTime() / 1000,
    CustomerMasterKeySpec: spec,
    Description: description,
    Enabled: deletionDate === null,
    KeyId: id,
    KeyManager: "CUSTOMER",
    KeySpec: spec,
    KeyState: deletionDate === null ? "Enabled" : "PendingDeletion",
    MultiRegion: false,
    Origin: "AWS_KMS",
  }
}
