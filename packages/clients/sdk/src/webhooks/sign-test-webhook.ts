import { joinBytes } from "@sealway/tokens/portable"
import { encodeBase64 } from "../base64.ts"
import { decodeSecret } from "./webhook-secret.ts"

export interface SignTestWebhookOptions {
  /** Default: a new one. */
  readonly id?: string
  /** Returns epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number
}

/** The headers of a signed webhook. */
export type SignedWebhookHeaders = Readonly<
  Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>
>

/**
 * Signs a body as Sealway signs its webhooks, so that a test can call the code that receives them.
 *
 * ```ts
 * const body = JSON.stringify({ id: "webhook_event_1", type: "relay.error", data: {} })
 * const request = new Request(url, { method: "POST", body, headers: await signTestWebhook(body, secret) })
 * ```
 *
 * @param secret `whsec_…`
 * @throws TypeError if the secret is not one
 */
export async function signTestWebhook(
  body: string | Uint8Array,
  secret: string,
  { id = `webhook_event_${crypto.randomUUID()}`, now = Date.now }: SignTestWebhookOptions = {},
): Promise<SignedWebhookHeaders> {
  const seconds = String(Math.floor(now() / 1000))
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body
  const signed = joinBytes([new TextEncoder().encode(`${id}.${seconds}.`), content])
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", decodeSecret(secret), algorithm, false, ["sign"])
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed))
  return {
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${encodeBase64(signature)}`,
  }
}
