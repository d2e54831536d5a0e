import type { App } from "@sealway/accounts"
import { type Egress, EgressError } from "@sealway/http/egress"
import type { Keyring } from "@sealway/keys"
import manifest from "../../package.json" with { type: "json" }
import type { AttemptOutcome } from "../records/delivery.ts"
import { secretsInForce, type WebhookEndpoint } from "../records/webhook-endpoint-table.ts"
import { parseRetryAfter } from "../schedule/retry-schedule.ts"
import { openSecret } from "../signing/secret.ts"
import { signatureHeaders } from "../signing/sign-event.ts"

const USER_AGENT = `Sealway-Webhooks/${manifest.version}`

/** Returns the secrets that sign now. @param nowMs epoch milliseconds */
export function openSecretsInForce(
  keyring: Pick<Keyring, "open">,
  app: App,
  endpoint: WebhookEndpoint,
  nowMs: number,
): Promise<readonly string[]> {
  const inForce = secretsInForce(endpoint, nowMs)
  return Promise.all(inForce.map((secret) => openSecret(keyring, app, endpoint.id, secret)))
}

/** The message to send: the event's id, and its body. */
interface Message {
  readonly eventId: string
  /** JSON. */
  readonly body: string
}

/**
 * Sends an event once. Only the status of the answer is kept: its content is the receiver's business.
 *
 * @param wallClock epoch milliseconds
 */
export async function sendEventOnce(
  egress: Pick<Egress, "post">,
  url: string,
  { eventId, body }: Message,
  secrets: readonly string[],
  wallClock: () => number,
): Promise<AttemptOutcome> {
  const headers = {
    "content-type": "application/json",
    "user-agent": USER_AGENT,
    ...signatureHeaders(eventId, body, secrets, wallClock()),
  }
  try {
    const { status, headers: answered } = await egress.post({ url, headers, body })
    const isTaken = status >= 200 && status <= 299
    return {
      statusCode: status,
      failure: isTaken ? null : "status-code",
      retryAfterMs: parseRetryAfter(answered["retry-after"], wallClock()),
    }
  } catch (error) {
    if (error instanceof EgressError) return { statusCode: null, failure: error.reason, retryAfterMs: null }
    throw error
  }
}
