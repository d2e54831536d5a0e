import type { Egress } from "@sealway/http/egress"
import { checkDestinationUrl, type DestinationRules } from "@sealway/kernel"
import type { CustomFetch } from "openid-client"

/** A `fetch` that reaches only allowed addresses, follows no redirects, and reads a limited answer. */
export type GuardedFetch = CustomFetch

/** The identity provider could not be reached. */
export class ProviderUnreachableError extends Error {
  override readonly name = "ProviderUnreachableError"
}

const TOTAL_TIMEOUT_MS = 10_000
/** Enough for any provider's metadata and keys. */
const MAX_ANSWER_BYTES = 512 * 1024

const NO_BODY = new Set([204, 205, 304])

export function createGuardedFetch(
  { dispatcher }: Pick<Egress, "dispatcher">,
  rules: DestinationRules,
): GuardedFetch {
  return async (text, { method, headers, body, signal }) => {
    const destination = checkDestinationUrl(text, rules)
    if (!destination.admitted) throw new ProviderUnreachableError("The address is not allowed")
    const { origin, pathname, search } = destination.url
    try {
      const answer = await dispatcher.request({
        origin,
        path: pathname + search,
        method: method === "POST" ? "POST" : "GET",
        headers,
        ...(body !== undefined && body !== null && { body: String(body) }),
        signal: AbortSignal.any([
          AbortSignal.timeout(TOTAL_TIMEOUT_MS),
          ...(signal === undefined ? [] : [signal]),
        ]),
      })
      const chunks: Buffer[] = []
      let bytes = 0
      for await (const chunk of answer.body) {
        bytes += chunk.length
        if (bytes > MAX_ANSWER_BYTES) throw new Error("The answer is too long")
        chunks.push(chunk)
      }
      if (answer.statusCode >= 500) throw new Error("The provider fails")
      const fields = Object.entries(answer.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((each): [string, string] => [name, each]),
      )
      const isEmpty = NO_BODY.has(answer.statusCode)
      return new Response(isEmpty ? null : Buffer.concat(chunks), {
        status: answer.statusCode,
        headers: fields,
      })
    } catch (error) {
      throw new ProviderUnreachableError("The identity provider did not answer", { cause: error })
    }
  }
}
