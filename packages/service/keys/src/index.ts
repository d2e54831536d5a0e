export { openForApp, type SealedPlace, sealedShape, sealForApp } from "./keyring/app-seal.ts"
export { callbackSecret, callbackSecretsInForce } from "./keyring/callback-secret.ts"
export type { KeptKey } from "./keyring/content-keys.ts"
export {
  type DataSubject,
  dataSubjectRecords,
  type Erasure,
  erasureRecords,
  referenceRecords,
  SUBJECT_STATUSES,
} from "./keyring/data-subject-table.ts"
export { findDataSubject, pageDataSubjects } from "./keyring/find-data-subject.ts"
export { createHsmKeys, type HsmKey, type HsmKeys } from "./keyring/hsm-keys.ts"
export type {
  KeyPurpose,
  KeyVersion,
  PublicKeyVersion,
  SecretKeyVersion,
  ValueKeyVersion,
} from "./keyring/key-version.ts"
export { custodyOf, listKeyVersions } from "./keyring/key-version-table.ts"
export { createKeyring, type Keyring } from "./keyring/keyring.ts"
export { createKmsAgreement, type KmsAgreement } from "./keyring/kms-agreement.ts"
export { createKmsEnvelope, type KmsEnvelope } from "./keyring/kms-envelope.ts"
export { SEALING_GRANTS, sealingKeysOf } from "./keyring/sealing-keys.ts"
export {
  SUBJECT_CREATION_GRANTS,
  SUBJECT_GRANTS,
  SUBJECT_KEY_TTL_MS,
  SUBJECT_SEALING_GRANTS,
  type SubjectKeys,
} from "./keyring/subject-keys.ts"
export { type SubjectLock, subjectLock, withLock } from "./keyring/subject-lock.ts"
export { type SweepDependencies, sweepHsmKeys } from "./keyring/sweep-hsm-keys.ts"
