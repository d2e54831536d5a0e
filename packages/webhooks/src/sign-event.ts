import { Webhook } from "standardwebhooks"

/** What receivers are sent of an event. */
export interface EventMessage {
  readonly id: string
  readonly type: string
  /** JSON. */
  readonly data: string
}

/** The body of an event: `{id, type, data}` as JSON. */
export function eventBody({ id, type, data }: EventMessage): string {
  return asciiJson(`{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"data":${data}}`)
}

/**
 * The headers of the Standard Webhooks specification, with one signature for each secret, newest first.
 *
 * @param secrets `whsec_…`
 * @param sentAtMs epoch milliseconds; a receiver refuses what is more than five minutes off
 */
export function signatureHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  sentAtMs: number,
): Readonly<Record<string, string>> {
  const sentAt = new Date(sentAtMs)
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAtMs / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(" "),
  }
}

/** The same JSON, all ASCII, so that nobody's notion of encodings breaks a signature. Outside of its strings it is that already. */
export function asciiJson(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
