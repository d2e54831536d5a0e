import type { App } from "@sealway/accounts"
import {
  type CertificateParticulars,
  type ClientCertificateInput,
  examineCertificate,
} from "@sealway/http/client-certificates"
import { type Clocks, InvalidRequestError } from "@sealway/kernel"
import { type Keyring, openForApp, type SealedPlace, sealForApp } from "@sealway/keys"
import * as z from "zod"
import { destinationKey } from "../relays/destination.ts"
import type { Relay, SealedClientCertificate } from "../relays/relay.ts"

const sealedSchema = z.discriminatedUnion("format", [
  z.object({
    format: z.literal("pem"),
    certificate: z.string(),
    privateKey: z.string(),
    password: z.string().nullable(),
  }),
  z.object({ format: z.literal("pkcs12"), content: z.string(), password: z.string().nullable() }),
])

/** An opened client certificate. */
export type ClientCertificate =
  | {
      readonly format: "pem"
      readonly certificate: string
      readonly privateKey: string
      readonly password: string | null
    }
  | { readonly format: "pkcs12"; readonly content: Buffer; readonly password: string | null }

/** A client certificate with a name, so that connections of one are never used with another. */
export interface NamedClientCertificate {
  readonly id: string
  readonly certificate: ClientCertificate
}

/** What a certificate is bound to: moved to another relay, destination or app, it does not open. */
type Place = Pick<Relay, "id" | "destination">

/**
 * How long opening a certificate may take. A file itself states how many rounds its password takes, which block the
 * whole process: a relay would run them when it first connects.
 */
const MAX_OPENING_MS = 2_000

/**
 * Checks that a client certificate is usable, and seals it with the app's newest keys.
 *
 * @throws InvalidRequestError when it does not load, its key does not match, it has expired, or takes long to open
 */
export async function sealClientCertificate(
  keyring: Pick<Keyring, "newest">,
  app: App,
  relay: Place,
  input: ClientCertificateInput,
  clocks: Clocks,
): Promise<SealedClientCertificate> {
  const particulars = particularsOf(input, clocks)
  const sealed = await sealForApp(keyring, placeOf(app, relay), Buffer.from(JSON.stringify(input)))
  return { format: input.format, ...sealed, ...particulars }
}

/** @throws Error when it was not sealed for this relay with this app's keys */
export async function openClientCertificate(
  keyring: Pick<Keyring, "open">,
  app: App,
  relay: Place,
  sealed: SealedClientCertificate,
): Promise<ClientCertificate> {
  const bytes = await openForApp(keyring, placeOf(app, relay), sealed)
  if (bytes === null) throw new Error("The client certificate does not open")
  const opened = sealedSchema.parse(JSON.parse(bytes.toString()))
  return opened.format === "pem"
    ? opened
    : { format: "pkcs12", content: Buffer.from(opened.content, "base64"), password: opened.password }
}

/** Destinations contain no NUL, so every place is unique. */
function placeOf(app: App, { id, destination }: Place): SealedPlace {
  return { app, purpose: "relay-certificate", place: `${id}\0${destinationKey(destination)}` }
}

function particularsOf(input: ClientCertificateInput, { now, wallClock }: Clocks): CertificateParticulars {
  const refusal = (member: string, reason: string) =>
    new InvalidRequestError("The client certificate cannot be used.", {
      fields: [{ pointer: `/clientCertificate/${member}`, reason }],
    })
  const beganAtMs = now()
  const examined = examineCertificate(input)
  if (!examined.ok) throw refusal(examined.member, examined.reason)
  const { particulars, member } = examined
  if (now() - beganAtMs > MAX_OPENING_MS) {
    throw refusal(
      "password",
      "The file takes too long to open: its password uses too many key derivation iterations.",
    )
  }
  if (particulars.expiresAt > wallClock()) return particulars
  throw refusal(member, "The certificate has expired.")
}
