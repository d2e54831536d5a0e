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
export { type DecideRoles, decryptJson } from "./decrypt-json.ts"
export { DecryptionForbiddenError } from "./decryption-forbidden-error.ts"
export type { VaultDependencies } from "./dependencies.ts"
export { vaultEndpoints } from "./endpoints/index.ts"
export { createTokenOpener } from "./token-opener.ts"
