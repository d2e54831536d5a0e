import { eachHeader, type RawHeaders } from "@sealway/kernel"
import { RelayError } from "../errors/relay-error.ts"
import { applicationName } from "../headers/headers.ts"
import type { Operations } from "../operations/compile-operations.ts"

/**
 * @throws RelayError `bad-request` when some application reads a request's header as an encrypted one, as one that describes
 * an encrypted body, or as one that names a data subject, and it is not that: see `applicationName`
 */
export function refuseSimilarHeaders(
  rawHeaders: RawHeaders,
  { protectedHeaders }: Pick<Operations, "protectedHeaders">,
): void {
  if (protectedHeaders.size === 0) return
  eachHeader(rawHeaders, (name) => {
    const taken = protectedHeaders.get(applicationName(name))
    if (taken === undefined || taken.includes(name.toLowerCase())) return
    throw new RelayError(
      "bad-request",
      `A header could be read as \`${taken.join()}\` by applications that take other characters for dashes: leave it out.`,
    )
  })
}
