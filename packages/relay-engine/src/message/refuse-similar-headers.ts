import { eachHeader, type RawHeaders } from "@sealway/kernel"
import { RelayError } from "../errors/relay-error.ts"
import { applicationName } from "../headers/headers.ts"
import type { Operations } from "../operations/compile-operations.ts"

/** The headers that describe a body. */
const OF_BODY = ["content-type", "content-encoding"] as const

/**
 * @throws RelayError `bad-request` when some application reads a request's header as an encrypted one, as one that describes
 * an encrypted body, or as one that names a data subject, and it is not that: see `applicationName`
 */
export function refuseSimilarHeaders(
  rawHeaders: RawHeaders,
  { header: { selectors, encrypting }, encryptsBody, subjects }: Operations,
): void {
  const names = new Set<string>(encryptsBody ? OF_BODY : [])
  for (const index of encrypting) names.add((selectors[index] ?? "").toLowerCase())
  for (const { source } of subjects) if (source.type === "header") names.add(source.selector.toLowerCase())
  if (names.size === 0) return
  const bySeenName = new Map([...names].map((name) => [applicationName(name), name]))
  eachHeader(rawHeaders, (name) => {
    const taken = names.has(name.toLowerCase()) ? undefined : bySeenName.get(applicationName(name))
    if (taken === undefined) return
    throw new RelayError(
      "bad-request",
      `A header could be read as \`${taken}\` by applications that take other characters for dashes: leave it out.`,
    )
  })
}
