import { MB } from "@sealway/kernel"
import type { Call, ServiceClient } from "../service/service-client.ts"
import { ServiceRefusal, UnavailableFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { readBounded } from "../terminal/read-bounded.ts"
import type { HttpAnswer } from "../terminal/send-request.ts"
import type { ByteString } from "./byte-string.ts"
import type { SendValues } from "./change-values.ts"
import { isLikeToken, readValues } from "./values-document.ts"

const MAX_ANSWER_BYTES = 64 * MB
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
  service: ServiceClient,
  path: Call["path"],
  headers: Readonly<Record<string, string>>,
  mustBeSealed: boolean,
): SendValues {
  return async ({ bytes, starts }) => {
    const body = { contentType: "application/json", bytes }
    const response = await service.send({ method: "POST", path, body, headers, writes: false })
    const values = readValues(await readAnswerBytes(response), starts.length)
    if (values === null || (mustBeSealed && !starts.every((_, index) => isLikeToken(values, index)))) {
      throw new UnavailableFailure("The service's response does not match the request.")
    }
    return values
  }
}

/** Requests the fingerprint of one token, and resolves to it as a JSON literal. */
export function createFingerprintSender(
  service: ServiceClient,
  path: Call["path"],
): (literal: ByteString) => Promise<ByteString> {
  return async (literal) => {
    const bytes = Buffer.from(`{"token":${literal}}`, "latin1")
    const body = { contentType: "application/json", bytes }
    const response = await service.send({ method: "POST", path, body, writes: false })
    const [, fingerprint] =
      /"fingerprint"\s*:\s*("[\w-]{1,128}")/.exec((await readAnswerBytes(response)).toString()) ?? []
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
        if (isLimited(error) && successes > seen) attempt = 1
        seen = successes
        const askedMs = error instanceof ServiceRefusal ? (error.retryAfterMs ?? 0) : 0
        if (successes === 0 || attempt === MAX_ATTEMPTS || !isPassing(error) || askedMs > MAX_ASKED_MS)
          throw error
        const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
        await sleep(Math.max(delayMs * (0.5 + draw() / 2), askedMs * (1 + draw() / 2)), signal)
      }
    }
  }
}

function isLimited(error: unknown): boolean {
  return error instanceof ServiceRefusal && error.problem.status === 429
}

function isPassing(error: unknown): boolean {
  if (error instanceof ServiceRefusal) return isLimited(error) || error.problem.status >= 500
  return error instanceof UnavailableFailure
}

async function readAnswerBytes(response: HttpAnswer): Promise<Buffer<ArrayBuffer>> {
  let bytes: Buffer<ArrayBuffer> | null
  try {
    bytes = await readBounded(response.body, MAX_ANSWER_BYTES)
  } catch (error) {
    throw new UnavailableFailure("The connection to the service was lost.", { cause: error })
  }
  if (bytes === null) throw new UnavailableFailure("The service's response is too large.")
  return bytes
}
