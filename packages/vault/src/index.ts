export { auditRefusal } from "./audit-refusal.ts"
export { requireBoundPayload } from "./bound-payload.ts"
export {
  BOUND_TOKEN_GRANTS,
  type BoundPrincipal,
  type BoundTokenKind,
  identifyBoundToken,
  issueBoundToken,
  type TokenIssuer,
} from "./bound-token.ts"
export type { CardRange, CardRanges } from "./card-ranges.ts"
export { type DecideRoles, type DecryptedJson, decryptJson } from "./decrypt-json.ts"
export { type DecryptedValues, ONE_FILE } from "./decrypted-values.ts"
export { DecryptionForbiddenError } from "./decryption-forbidden-error.ts"
export type { VaultDependencies } from "./dependencies.ts"
export { vaultEndpoints } from "./endpoints/index.ts"
export { fingerprintKey, fingerprintText } from "./fingerprint.ts"
export { type OpenedField, type OpenedFields, openFields } from "./open-fields.ts"
export {
  auditDecryption,
  type DecryptionContext,
  decryptionRecordOf,
  type RecordDecryptionDependencies,
  recordDecryption,
} from "./record-decryption.ts"
export { createTokenOpener, type TokenOpener } from "./token-opener.ts"
