export {
  type ContentKey,
  candidateContentKeys,
  contentKeyId,
  deriveContentKey,
  hasOtherDerivation,
  type KeyDerivation,
  type Sealed,
} from "./content-key.ts"
export { type Curve, uncompressPublicKey } from "./curve.ts"
export { FILE_OVERHEAD_BYTES, type FileHeader, type FileVersion, isFile } from "./file-header.ts"
export { FileTooLargeError } from "./file-too-large-error.ts"
export { InvalidTokenError } from "./invalid-token-error.ts"
export { createKeyAgreement, generatePrivateKey, type KeyAgreement } from "./key-agreement.ts"
export { isRoleSlug, ROLE_SLUG } from "./metadata.ts"
export {
  isEncryptedFile,
  isEncryptedFileInSteps,
  openFile,
  openFileInSteps,
  type ParsedFile,
  parseFile,
  parseFileInSteps,
} from "./open-file.ts"
export {
  type FileKey,
  type FileKeysFor,
  type OpenFileStreamOptions,
  openFileStream,
} from "./open-file-stream.ts"
export { type OpenedValue, openToken } from "./open-token.ts"
export { isToken, type ParsedToken, parseToken } from "./parse-token.ts"
export { sealFile, sealFileInSteps, sealFileStream } from "./seal-file.ts"
export {
  createSealingKey,
  type FileEncryption,
  type SealingKey,
  type SealingKeyOptions,
  type SealMetadata,
} from "./sealing-key.ts"
export {
  createSealingKeySource,
  type SealingKeySource,
  type SealingKeySourceOptions,
} from "./sealing-key-source.ts"
export { longestTokenOf } from "./token-length.ts"
export type { TokenVersionName } from "./token-version.ts"
export type { ValueType } from "./value-type.ts"
