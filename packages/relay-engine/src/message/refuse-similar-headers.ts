import { eachHeader, type RawHeaders } from "@sealway/kernel"
import { RelayError } from "../errors/relay-error.ts"
import { applicationName } from "../headers/headers.ts"
import type { Operations } from "../operations/compile-operations.ts"

/** The headers that describe a body. */
const OF_BODY = ["content-type", "content-encoding"] as const

/**
 * @throws RelayError `bad-request` when some application reads a request's header as an encrypted one, or as one that
 * describes an encrypted body, and it is not that: see `applicationName`
 */
export function refuseSimilarHeaders(
  rawHeaders: RawHeaders,
  { header: { selectors, encrypting }, encryptsBody }: Operations,
): void {
  if (encrypting.size === 0 && !encryptsBody) return
  const names = new Set<string>(encryptsBody ? OF_BODY : [])
  for (const index of encrypting) names.add((selectors[index] ?? "").toLowerCase())
  const seenNames = new Set([...names].map(applicationName))
  eachHeader(rawHeaders, (name) => {
    if (names.has(name.toLowerCase()) || !seenNames.has(applicationName(name))) return
    throw new RelayError(
      "bad-request",
      "A header's name could be mistaken for that of an encrypted header, or of one that describes the body.",
    )
  })
}
