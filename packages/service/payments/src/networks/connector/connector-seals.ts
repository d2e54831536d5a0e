import { createSecureContext, getCACertificates, type SecureContext } from "node:tls"
import type { App } from "@sealway/accounts"
import { clientCertificateSchema } from "@sealway/http/client-certificates"
import { type Keyring, openForApp, type SealedPlace, sealForApp } from "@sealway/keys"
import * as z from "zod"
import type { Connector, SealedBytes } from "./connector.ts"
import type { ConnectorInput } from "./connector-input.ts"

const tlsSchema = z.object({
  clientCertificate: clientCertificateSchema,
  caCertificate: z.string().nullable(),
})

const placeOf = (app: App, part: "tls" | "secret"): SealedPlace => ({
  app,
  purpose: "connector",
  place: part,
})

export function sealConnectorTls(
  keyring: Pick<Keyring, "newest">,
  app: App,
  { clientCertificate, caCertificate }: ConnectorInput,
): Promise<SealedBytes> {
  const text = JSON.stringify({ clientCertificate, caCertificate: caCertificate ?? null })
  return sealForApp(keyring, placeOf(app, "tls"), Buffer.from(text))
}

export function sealConnectorSecret(
  keyring: Pick<Keyring, "newest">,
  app: App,
  secret: string,
): Promise<SealedBytes> {
  return sealForApp(keyring, placeOf(app, "secret"), Buffer.from(secret))
}

/** @throws Error when it was not sealed as a connector's secret with this app's keys */
export async function openConnectorSecret(
  keyring: Pick<Keyring, "open">,
  app: App,
  sealed: SealedBytes,
): Promise<string> {
  const opened = await openForApp(keyring, placeOf(app, "secret"), sealed)
  if (opened === null) throw new Error("The secret of a connector does not open")
  return opened.toString()
}

/**
 * Creates the TLS settings for a connector: the client certificate, and the trusted authorities. A connector with its
 * own authority is trusted by that one only. Created once for many connections, because a file may require many rounds
 * to open.
 *
 * @throws Error when it was not sealed for a connector with this app's keys
 */
export async function openConnectorTls(
  keyring: Pick<Keyring, "open">,
  app: App,
  { tls }: Pick<Connector, "tls">,
): Promise<() => SecureContext> {
  const opened = await openForApp(keyring, placeOf(app, "tls"), tls)
  if (opened === null) throw new Error("The certificates of a connector do not open")
  const { clientCertificate, caCertificate } = tlsSchema.parse(JSON.parse(opened.toString()))
  const passphrase = clientCertificate.password === null ? {} : { passphrase: clientCertificate.password }
  return () =>
    createSecureContext({
      minVersion: "TLSv1.2",
      ca: caCertificate === null ? getCACertificates("default") : [caCertificate],
      ...(clientCertificate.format === "pem"
        ? { cert: clientCertificate.certificate, key: clientCertificate.privateKey }
        : { pfx: Buffer.from(clientCertificate.content, "base64") }),
      ...passphrase,
    })
}
