/** Reads relay files, for tools that work without the service. */
export { type ClientCertificateInput, examineCertificate } from "@sealway/http/client-certificates"
export {
  type ClientCertificateFiles,
  type DeclaredRelay,
  type RelayDocument,
  type RelayFileProblem,
  type RelayFilesResult,
  readRelayFiles,
} from "./management/relay-files.ts"
export { destinationKey, parseDestination } from "./relays/destination.ts"
