import { equalInConstantTime } from "@sealway/kernel"
import { Webhook } from "standardwebhooks"

/** What receivers get of an event. */
export interface EventMessage {
  readonly id: string
  readonly type: string
  /** JSON. */
  readonly data: string
}

/** Writes the body of an event: `{id, type, data}` as JSON. */
export function eventBody({ id, type, data }: EventMessage): string {
  return asciiJson(`{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"data":${data}}`)
}

/**
 * Returns the headers of the Standard Webhooks specification, with one signature per secret, newest first.
 *
 * @param secrets `whsec_…`
 * @param sentAtMs epoch milliseconds; receivers refuse messages that are more than five minutes off
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

/** A message with signature headers, not verified yet. */
export interface SignedMessage {
  /** `webhook-id` */
  readonly id: string
  /** `webhook-timestamp` */
  readonly timestamp: string
  /** `webhook-signature` */
  readonly signature: string
  readonly body: Buffer
}

const MAX_AGE_MS = 5 * 60_000
/**
 * Printable ASCII without a dot: dots separate what is signed, so a dot in the id could move text between id, time and
 * body under the same signature.
 */
const MESSAGE_ID = /^(?!.*\.)[\x21-\x7e]{1,256}$/
/** A sender rotates through a few secrets. */
const MAX_SIGNATURES = 10

/**
 * True when a message is signed with one of these secrets, its time is within five minutes of now, and its id has no dot.
 *
 * @param secrets `whsec_…`
 * @param nowMs epoch milliseconds
 */
export function verifySignature(
  { id, timestamp, signature, body }: SignedMessage,
  secrets: readonly string[],
  nowMs: number,
): boolean {
  if (!MESSAGE_ID.test(id) || !/^[0-9]{1,12}$/.test(timestamp)) return false
  const sentAtMs = Number(timestamp) * 1000
  if (Math.abs(nowMs - sentAtMs) > MAX_AGE_MS) return false
  const given = signature.split(" ", MAX_SIGNATURES).map((each) => Buffer.from(each))
  let isSigned = false
  for (const secret of secrets) {
    const expected = Buffer.from(new Webhook(secret).sign(id, new Date(sentAtMs), body.toString("utf8")))
    for (const each of given) if (equalInConstantTime(each, expected)) isSigned = true
  }
  return isSigned
}

/**
 * Returns the same JSON in ASCII, so that no receiver's encoding breaks a signature. Outside strings, JSON is ASCII
 * already.
 */
export function asciiJson(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
