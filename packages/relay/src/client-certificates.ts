/** Client certificates as callers write them, for whoever else connects with one. */
export {
  type CertificateParticulars,
  type ExaminedCertificate,
  examineCertificate,
} from "./client-certificates/certificate-particulars.ts"
export {
  type ClientCertificateInput,
  clientCertificateSchema,
} from "./client-certificates/client-certificate-input.ts"
