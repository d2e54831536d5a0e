import { createSecureContext, getCACertificates, type SecureContext } from "node:tls"
import type { ClientCertificate } from "@sealway/relay"
import { RelayError } from "@sealway/relay-engine"

/**
 * Returns what connections to a destination trust and present.
 *
 * @param authorities PEM certificates trusted in addition to those that Node.js trusts
 * @throws RelayError `proxy-error` when the client certificate cannot be opened
 */
export function createClientContext(
  authorities: readonly string[],
  clientCertificate: ClientCertificate | null,
): SecureContext | null {
  if (authorities.length === 0 && clientCertificate === null) return null
  // Passing authorities replaces those that Node.js trusts; passing none shares one parsed store of them.
  const trust = authorities.length === 0 ? {} : { ca: [...getCACertificates("default"), ...authorities] }
  if (clientCertificate === null) return createSecureContext({ ...trust, minVersion: "TLSv1.2" })
  try {
    return createSecureContext({ ...trust, minVersion: "TLSv1.2", ...identityOf(clientCertificate) })
  } catch (cause) {
    throw new RelayError("proxy-error", "The relay's client certificate could not be used.", {
      stage: "destination",
      cause,
    })
  }
}

function identityOf(certificate: ClientCertificate) {
  const { password } = certificate
  const passphrase = password === null ? {} : { passphrase: password }
  return certificate.format === "pem"
    ? { cert: certificate.certificate, key: certificate.privateKey, ...passphrase }
    : { pfx: certificate.content, ...passphrase }
}
