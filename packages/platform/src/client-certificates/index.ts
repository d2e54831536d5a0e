/** Client certificates as callers write them, for whoever else connects with one. */
export {
  type CertificateParticulars,
  type ExaminedCertificate,
  examineCertificate,
} from "./certificate-particulars.ts"
export {
  type ClientCertificateInput,
  clientCertificateSchema,
} from "./client-certificate-input.ts"
