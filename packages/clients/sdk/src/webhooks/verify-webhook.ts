import { joinBytes } from "@sealway/tokens/portable"
import { decodeBase64 } from "../base64.ts"
import { WebhookSignatureError } from "../errors/errors.ts"
import { decodeSecret } from "./webhook-secret.ts"

/** An event that Sealway has sent. `data` depends on its type. */
export interface WebhookEvent {
  readonly id: string
  readonly type: string
  readonly data: unknown
}

/** Headers as fetch, Express and Node.js have them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyWebhookOptions {
  /** How far the time of a webhook may be from now. Default: 300. */
  readonly toleranceSeconds?: number
  /** Returns epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number
}

/** The sender signs with each of its secrets, of which it has a few while it rotates them. */
const MAX_SIGNATURES = 10
const MAX_HEADER_CHARACTERS = 4096
const SIGNATURE_BYTES = 32

/**
 * Returns the event of a webhook that is signed with the secret, by [Standard Webhooks](https://www.standardwebhooks.com),
 * and recent. Keep the ids of handled events, because a webhook may arrive twice.
 *
 * ```ts
 * const event = await verifyWebhook(await request.text(), request.headers, secret)
 * ```
 *
 * @param body the request's body, exactly as it came: not parsed, and not written again
 * @param secret `whsec_…`; several while you change it
 * @throws WebhookSignatureError if it is not signed with the secret, not recent, or no event
 * @throws TypeError if the secret is not one
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[] | undefined,
  { toleranceSeconds = 300, now = Date.now }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const keys = (typeof secret === "string" ? [secret] : (secret ?? [])).map(decodeSecret)
  if (keys.length === 0) throw new TypeError("A secret is required.")
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new TypeError("The body must be the text or the bytes of the request, not its parsed content.")
  }
  const id = headerOf(headers, "webhook-id")
  const timestamp = headerOf(headers, "webhook-timestamp")
  // No dot: it separates the signed parts, so that one message could be read as another.
  if (!/^[\w-]{1,256}$/.test(id)) throw new WebhookSignatureError("The header webhook-id is malformed.")
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookSignatureError("The header webhook-timestamp is malformed.")
  // Not `>`: a tolerance that is no number must not accept everything.
  if (!(Math.abs(now() / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookSignatureError("The webhook is too old, or from the future.")
  }
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body
  const signed = joinBytes([new TextEncoder().encode(`${id}.${timestamp}.`), content])
  const signatures = signaturesIn(headerOf(headers, "webhook-signature"))
  if (!(await isSigned(signed, signatures, keys))) {
    throw new WebhookSignatureError("The webhook is not signed with this secret.")
  }
  return parseEvent(content)
}

/** Compares all, and in constant time each. */
async function isSigned(
  message: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  secrets: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  let isValid = false
  for (const secret of secrets) {
    const algorithm = { name: "HMAC", hash: "SHA-256" }
    const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"])
    for (const signature of signatures) {
      if (await crypto.subtle.verify("HMAC", key, signature, message)) isValid = true
    }
  }
  return isValid
}

function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(" ", MAX_SIGNATURES)
    .filter((each) => each.startsWith("v1,"))
    .flatMap((each) => decodeBase64(each.slice(3)) ?? [])
    .filter((bytes) => bytes.length === SIGNATURE_BYTES)
}

/** Returns the only value of a header; empty if there is none, several, or a very long one. */
function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : onlyValue(headers, name)
  return typeof value === "string" && value.length <= MAX_HEADER_CHARACTERS ? value : ""
}

function onlyValue(headers: Exclude<WebhookHeaders, Headers>, name: string): string | undefined {
  const values = Object.entries(headers)
    .filter(([each]) => each.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
  return values.length === 1 ? values[0] : undefined
}

function parseEvent(content: Uint8Array): WebhookEvent {
  let event: unknown
  try {
    event = JSON.parse(new TextDecoder().decode(content))
  } catch {
    // The parser's message quotes the text.
  }
  if (!isEvent(event)) throw new WebhookSignatureError("The webhook is signed, but is not an event.")
  return event
}

function isEvent(value: unknown): value is WebhookEvent {
  if (typeof value !== "object" || value === null) return false
  return (
    "id" in value &&
    typeof value.id === "string" &&
    "type" in value &&
    typeof value.type === "string" &&
    "data" in value
  )
}
