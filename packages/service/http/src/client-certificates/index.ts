/** Client certificates as callers send them, for every package that connects with one. */
export {
  type CertificateParticulars,
  type ExaminedCertificate,
  examineCertificate,
} from "./certificate-particulars.ts"
export {
  type ClientCertificateInput,
  clientCertificateSchema,
} from "./client-certificate-input.ts"
