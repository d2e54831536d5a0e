export { auditRefusal } from "./audit/audit-refusal.ts"
export {
  auditDecryption,
  type DecryptionContext,
  decryptionRecordOf,
  type RecordDecryptionDependencies,
  recordDecryption,
} from "./audit/record-decryption.ts"
export { requireBoundPayload } from "./bound-tokens/bound-payload.ts"
export {
  BOUND_TOKEN_GRANTS,
  type BoundPrincipal,
  type BoundTokenKind,
  identifyBoundToken,
  issueBoundToken,
  type NewBoundToken,
  type TokenIssuer,
} from "./bound-tokens/bound-token.ts"
export type { FingerprintDependencies, VaultDependencies } from "./dependencies.ts"
export { type DecryptedJson, decryptJson } from "./documents/decrypt-json.ts"
export { countDecrypted, type DecryptedValues, NONE_MASKED, ONE_FILE } from "./documents/decrypted-values.ts"
export {
  DecryptionForbiddenError,
  honeyForbidden,
  honeyRefusal,
} from "./documents/decryption-forbidden-error.ts"
export { countLikelyTokens } from "./documents/json-tokens.ts"
export { type OpenedField, type OpenedFields, openFields } from "./documents/open-fields.ts"
export { type DecideRoles, type Judgement, RoleTally } from "./documents/role-tally.ts"
export { unopenedValue } from "./documents/unopened-value.ts"
export { DECRYPTION_HEADERS, decryptionHeaders } from "./endpoints/decryption-headers.ts"
export { fingerprintEndpoints, vaultEndpoints } from "./endpoints/index.ts"
export { openingHeaders } from "./endpoints/opening-headers.ts"
export { reportForbiddenValue, reportRefusal } from "./endpoints/report-refusal.ts"
export type { CardRange, CardRanges } from "./values/card-ranges.ts"
export { fingerprintKey, fingerprintText } from "./values/fingerprint.ts"
export { type HoneyValue, isHoney, marksIn, requireValue } from "./values/honey-value.ts"
export { MAX_HSM_AGREEMENTS } from "./values/hsm-agreements.ts"
export { maskedValue } from "./values/masked-value.ts"
export { TokensAhead } from "./values/open-ahead.ts"
export type { OpeningKey } from "./values/opening-key.ts"
export {
  createTokenOpener,
  needsAgreement,
  type StreamOpener,
  type TokenOpener,
} from "./values/token-opener.ts"
