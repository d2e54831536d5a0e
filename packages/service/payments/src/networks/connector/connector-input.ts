import { X509Certificate } from "node:crypto"
import {
  type ClientCertificateInput,
  clientCertificateSchema,
  examineCertificate,
} from "@sealway/http/client-certificates"
import { type Clocks, checkDestinationUrl, InvalidRequestError, KB } from "@sealway/kernel"
import * as z from "zod"
import type { CertificateParticulars } from "./connector.ts"

const MAX_URL_CHARACTERS = 2_048
const MAX_PEM_CHARACTERS = 64 * KB
/** How long opening a client certificate may take: a file itself states how many rounds its password takes. */
const MAX_OPENING_MS = 2_000

export const connectorUrlSchema = z
  .string()
  .max(MAX_URL_CHARACTERS)
  .describe("https, at a public address, without a query. Requests are posted to paths under this URL")

export const connectorInputSchema = z
  .strictObject({
    url: connectorUrlSchema,
    clientCertificate: clientCertificateSchema,
    caCertificate: z
      .string()
      .min(1)
      .max(MAX_PEM_CHARACTERS)
      .exactOptional()
      .describe(
        "PEM certificate of the authority that issued the connector's certificate, unless it is a public one",
      ),
  })
  .meta({ id: "ConnectorInput" })

export type ConnectorInput = z.infer<typeof connectorInputSchema>

export interface ExaminedConnector {
  /** Without a trailing slash. */
  readonly url: string
  readonly clientCertificate: CertificateParticulars
  readonly caCertificate: CertificateParticulars | null
}

/** Validates a connector. @throws InvalidRequestError naming what is invalid, without repeating any of it */
export function examineConnector(
  { url, clientCertificate, caCertificate }: ConnectorInput,
  rules: Clocks & { readonly allowPrivateDestinations: boolean },
): ExaminedConnector {
  return {
    url: admittedUrl(url, rules),
    clientCertificate: examineClientCertificate(clientCertificate, rules),
    caCertificate: caCertificate === undefined ? null : examineAuthority(caCertificate, rules),
  }
}

function admittedUrl(
  text: string,
  { allowPrivateDestinations }: { readonly allowPrivateDestinations: boolean },
): string {
  const destination = checkDestinationUrl(text, { allowPrivate: allowPrivateDestinations })
  if (!destination.admitted) throw refusal("/url", destination.reason)
  // It receives card numbers, so even a local one needs TLS.
  if (destination.url.protocol !== "https:") throw refusal("/url", "The URL must begin with https://.")
  if (destination.url.search !== "") throw refusal("/url", "The URL must not have a query.")
  return destination.url.href.replace(/\/+$/, "")
}

function examineClientCertificate(
  input: ClientCertificateInput,
  { now, wallClock }: Clocks,
): CertificateParticulars {
  const beganAtMs = now()
  const examined = examineCertificate(input)
  if (!examined.ok) throw refusal(`/clientCertificate/${examined.member}`, examined.reason)
  if (now() - beganAtMs > MAX_OPENING_MS) {
    throw refusal(
      "/clientCertificate/password",
      "The file takes too long to open. Export it with fewer iterations.",
    )
  }
  if (examined.particulars.expiresAt <= wallClock()) {
    throw refusal(`/clientCertificate/${examined.member}`, "The certificate has expired.")
  }
  return examined.particulars
}

function examineAuthority(pem: string, { wallClock }: Pick<Clocks, "wallClock">): CertificateParticulars {
  const certificate = parseCertificate(pem)
  if (certificate === null) throw refusal("/caCertificate", "Not a PEM certificate.")
  const expiresAt = Date.parse(certificate.validTo)
  if (expiresAt <= wallClock()) throw refusal("/caCertificate", "The certificate has expired.")
  return {
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    expiresAt,
    subject: certificate.subject?.split("\n").join(", ") ?? "",
  }
}

/** Hides OpenSSL's message from callers, because it may quote parts of the file. */
function parseCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

function refusal(pointer: string, reason: string): InvalidRequestError {
  return new InvalidRequestError("The connector is invalid.", { fields: [{ pointer, reason }] })
}
