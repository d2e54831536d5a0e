import { ApiError, RateLimitError, type Transport } from "@sealway/sdk/api"
import { sendBytes, type ValueEndpoint } from "../service/send-bytes.ts"
import { isUnavailable } from "../terminal/failure-of.ts"
import { UnavailableFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import type { ByteString } from "./byte-string.ts"
import type { SendValues } from "./change-values.ts"
import { isLikeToken, readValues } from "./values-document.ts"

const MAX_ATTEMPTS = 9
const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 30_000
/** What a limit of a key may ask for: as long as a large batch takes with a low limit. */
const MAX_ASKED_MS = 10 * 60_000

/**
 * Sends values as one document. The call changes nothing, so it may be repeated without an `Idempotency-Key`.
 *
 * @param mustBeSealed refuses an answer that contains anything but tokens, which would be written in place of tokens
 */
export function createDocumentSender(
  service: Transport,
  endpoint: ValueEndpoint,
  mustBeSealed: boolean,
): SendValues {
  return async ({ bytes, starts }) => {
    const body = { contentType: "application/json", content: bytes }
    const values = readValues(await sendBytes(service, endpoint, body), starts.length)
    if (values === null || (mustBeSealed && !starts.every((_, index) => isLikeToken(values, index)))) {
      throw new UnavailableFailure("The service's response does not match the request.")
    }
    return values
  }
}

/** Requests the fingerprint of one token, and resolves to it as a JSON literal. */
export function createFingerprintSender(
  service: Transport,
  endpoint: ValueEndpoint,
): (literal: ByteString) => Promise<ByteString> {
  return async (literal) => {
    const content = Buffer.from(`{"token":${literal}}`, "latin1")
    const answer = await sendBytes(service, endpoint, { contentType: "application/json", content })
    const [, fingerprint] = /"fingerprint"\s*:\s*("[\w-]{1,128}")/.exec(answer.toString()) ?? []
    if (fingerprint === undefined) throw new UnavailableFailure("The service's response has no fingerprint.")
    return fingerprint
  }
}

/**
 * Retries for some minutes when a service is restarting or overloaded, so that long work need not be restarted by hand.
 * Not before the first success: then something else is wrong. What a limit of the key refuses is sent again for as long as
 * others get through.
 *
 * @param draw returns a number from 0 to 1, so that senders that failed together do not retry together
 */
export function withPatience<Input, Output>(
  { sleep }: Pick<CliHost, "sleep">,
  signal: AbortSignal,
  send: (input: Input) => Promise<Output>,
  draw: () => number,
): (input: Input) => Promise<Output> {
  let successes = 0
  return async (input) => {
    let seen = successes
    for (let attempt = 1; ; attempt++) {
      try {
        signal.throwIfAborted()
        const output = await send(input)
        successes++
        return output
      } catch (error) {
        if (error instanceof RateLimitError && successes > seen) attempt = 1
        seen = successes
        const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
        if (successes === 0 || attempt === MAX_ATTEMPTS || !isUnavailable(error) || askedMs > MAX_ASKED_MS)
          throw error
        const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
        await sleep(Math.max(delayMs * (0.5 + draw() / 2), askedMs * (1 + draw() / 2)), signal)
      }
    }
  }
}
