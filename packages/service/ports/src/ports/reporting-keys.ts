import type { EncryptionContext, Keys } from "./keys.ts"

/** The operations of KMS, as IAM names them, that each method takes in the cloud. */
export const KEY_OPERATIONS = {
  seal: ["Encrypt"],
  open: ["Decrypt"],
  createAgreementKey: ["CreateKey", "GetPublicKey"],
  agree: ["DeriveSharedSecret"],
  listAgreementKeys: ["ListKeys", "ListResourceTags", "DescribeKey"],
  scheduleDeletion: ["ScheduleKeyDeletion"],
} as const satisfies Record<keyof Keys, readonly string[]>

/** Wraps keys that are not in KMS, so that their calls are reported like those to KMS. */
export function reportingKeys(
  keys: Keys,
  onCall: (operation: string, context: EncryptionContext) => void,
): Keys {
  const reported = (method: keyof Keys, context: EncryptionContext = {}) => {
    for (const operation of KEY_OPERATIONS[method]) onCall(operation, context)
    return keys
  }
  return {
    seal: (...call) => reported("seal", call[2]).seal(...call),
    open: (...call) => reported("open", call[2]).open(...call),
    createAgreementKey: (...call) => reported("createAgreementKey").createAgreementKey(...call),
    agree: (...call) => reported("agree").agree(...call),
    listAgreementKeys: (...call) => reported("listAgreementKeys").listAgreementKeys(...call),
    scheduleDeletion: (...call) => reported("scheduleDeletion").scheduleDeletion(...call),
  }
}
