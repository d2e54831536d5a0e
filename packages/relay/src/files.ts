/** What reads relay files, for tools that work without the service. */
export { examineCertificate } from "./certificate-particulars.ts"
export { destinationKey, parseDestination } from "./destination.ts"
export {
  type ClientCertificateFiles,
  type DeclaredRelay,
  type RelayDocument,
  type RelayFileProblem,
  type RelayFilesResult,
  readRelayFiles,
} from "./relay-files.ts"
export type { ClientCertificateInput } from "./relay-input.ts"
