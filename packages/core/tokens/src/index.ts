export { agreedContentKey } from "./crypto/agreed-content-key.ts"
export {
  type AgreedContent,
  type ContentKey,
  candidateContentKeys,
  contentKeyId,
  deriveContentKey,
  hasOtherDerivation,
  isAgreed,
  isOfSubject,
  isSymmetric,
  type KeyDerivation,
  type SealedContent,
  type SubjectContent,
  type SymmetricContent,
  takesAgreement,
} from "./crypto/content-key.ts"
export { contentKeyBytes, contentKeyOf } from "./crypto/content-key-bytes.ts"
export {
  type Curve,
  decodeSubjectPublicKey,
  encodeSubjectPublicKey,
  uncompressPublicKey,
} from "./crypto/curve.ts"
export { createKeyAgreement, generatePrivateKey, type KeyAgreement } from "./crypto/key-agreement.ts"
export { SUBJECT_ID_BYTES } from "./crypto/sizes.ts"
export { decodeSubjectId, encodeSubjectId, subjectIdOf } from "./crypto/subject-id.ts"
export { ErasedSubjectError } from "./erased-subject-error.ts"
export { crc32 } from "./files/crc32.ts"
export type { FileHeader } from "./files/file-header.ts"
export { FILE_OVERHEAD_BYTES, type FileVersion, isFile } from "./files/file-layout.ts"
export { FileTooLargeError } from "./files/file-too-large-error.ts"
export {
  isEncryptedFile,
  isEncryptedFileInSteps,
  openFile,
  openFileInSteps,
  type ParsedFile,
  parseFile,
  parseFileInSteps,
} from "./files/open-file.ts"
export {
  type FileKey,
  type FileKeysFor,
  type OpenFileStreamOptions,
  openFileStream,
} from "./files/open-file-stream.ts"
export { sealFile, sealFileInSteps, sealFileStream } from "./files/seal-file.ts"
export type { SealMetadata } from "./format/encode-metadata.ts"
export type { Metadata } from "./format/metadata.ts"
export { type ParsedToken, parseToken, parseTokenAt, parseTokenInSteps } from "./format/parse-token.ts"
export { isRoleSlug, ROLE_SLUG } from "./format/role-slug.ts"
export { isToken, TOKEN_GRAMMAR } from "./format/token-grammar.ts"
export { longestTokenOf } from "./format/token-length.ts"
export type { TokenVersionName } from "./format/token-version.ts"
export type { ValueType } from "./format/value-type.ts"
export { InvalidTokenError } from "./invalid-token-error.ts"
export { StreamingFileError } from "./streaming-file-error.ts"
export { isStreamingFile, readStreamHeader, type StreamHeader } from "./streams/read-stream-header.ts"
export { startSymmetricStream } from "./streams/start-symmetric-stream.ts"
export { MAX_STREAM_HEADER_BYTES, streamHeaderBytes } from "./streams/stream-header.ts"
export { deriveStreamKey } from "./streams/stream-key.ts"
export { CHUNK_BYTES, type StreamLayout, sealedBytesOf } from "./streams/stream-layout.ts"
export { LARGE_VALUE_BYTES } from "./values/large-value.ts"
export { type OpenedValue, openToken, openTokenInSteps } from "./values/open-token.ts"
export { type OpenedBy, sealBeside } from "./values/seal-beside.ts"
export {
  createSealingKey,
  type FileEncryption,
  type SealingKey,
  type SealingKeyOptions,
  type ValueSealingKey,
} from "./values/sealing-key.ts"
export {
  createSealingKeySource,
  type MarkOf,
  type SealingKeySource,
  type SealingKeySourceOptions,
} from "./values/sealing-key-source.ts"
export { createSubjectKey, type SubjectKey, type SubjectKeyOptions } from "./values/subject-key.ts"
export {
  createSymmetricKeys,
  type SymmetricKeys,
  type SymmetricKeysOptions,
} from "./values/symmetric-keys.ts"
