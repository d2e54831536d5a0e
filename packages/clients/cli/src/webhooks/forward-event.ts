import { hkdfSync } from "node:crypto"
import { errorCodeOf, parsePlainUrl } from "@sealway/kernel"
import { eventBody, signatureHeaders } from "@sealway/webhooks/sign-event"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { discardBody } from "../terminal/send-request.ts"
import type { ListenedEvent } from "./listen-for-events.ts"

/** As long as the service waits for a receiver. */
const TIMEOUT_MS = 15_000
const SECRET_BYTES = 32
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/
/** Required by Standard Webhooks. */
const SECRET_BYTES_RANGE = { min: 24, max: 64 }

/** The result of an event at the receiver: its status, or why there is none. */
export type ForwardOutcome =
  | { readonly status: number }
  | { readonly failure: "timeout" | "refused" | "unreachable" }

/** @throws UsageFailure when events cannot be posted there */
export function parseForwardUrl(text: string): string {
  const parsed = parsePlainUrl(text)
  if (!parsed.plain) throw new UsageFailure(`--forward-to is not a valid URL. ${parsed.reason}`)
  const { protocol, hash, href } = parsed.url
  if (protocol !== "http:" && protocol !== "https:") {
    throw new UsageFailure("--forward-to must be an http or https URL.")
  }
  if (hash !== "") throw new UsageFailure("--forward-to must be a URL without a fragment.")
  return href
}

/**
 * Returns the secret that signs forwarded events, `whsec_…`: that of `SEALWAY_WEBHOOK_SECRET`, else one derived from
 * the API key, so that it is the same on every machine until the key is replaced. The key cannot be derived from it.
 *
 * @throws UsageFailure when the variable contains no valid secret
 */
export function forwardingSecret(env: CliHost["env"], apiKey: string): string {
  const { SEALWAY_WEBHOOK_SECRET: given } = env
  if (given) {
    const [, base64 = ""] = SECRET.exec(given) ?? []
    const { length } = Buffer.from(base64, "base64")
    if (length >= SECRET_BYTES_RANGE.min && length <= SECRET_BYTES_RANGE.max) return given
    throw new UsageFailure("SEALWAY_WEBHOOK_SECRET must be a webhook secret, whsec_….")
  }
  const secret = Buffer.from(hkdfSync("sha256", apiKey, "", "sealway/v1/cli/webhooks-listen", SECRET_BYTES))
  return `whsec_${secret.toString("base64")}`
}

/** Posts an event once, like the service. A redirect is an answer, and is not followed. */
export async function forwardEvent(
  { fetch, signal, wallClock }: Pick<CliHost, "fetch" | "signal" | "wallClock">,
  url: string,
  { id, type, data }: ListenedEvent,
  secret: string,
): Promise<ForwardOutcome> {
  const body = eventBody({ id, type, data: JSON.stringify(data) })
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "user-agent": "sealway-cli",
        ...signatureHeaders(id, body, [secret], wallClock()),
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    await discardBody(response)
    return { status: response.status }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Error && error.name === "TimeoutError") return { failure: "timeout" }
    return { failure: errorCodeOf(error) === "ECONNREFUSED" ? "refused" : "unreachable" }
  }
}
