/** What reads relay files, for tools that work without the service. */
export { examineCertificate } from "./client-certificates/certificate-particulars.ts"
export type { ClientCertificateInput } from "./client-certificates/client-certificate-input.ts"
export { destinationKey, parseDestination } from "./destination.ts"
export {
  type ClientCertificateFiles,
  type DeclaredRelay,
  type RelayDocument,
  type RelayFileProblem,
  type RelayFilesResult,
  readRelayFiles,
} from "./management/relay-files.ts"
