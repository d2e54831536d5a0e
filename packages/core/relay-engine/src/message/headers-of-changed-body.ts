import { headersWithout, type RawHeaders } from "@sealway/kernel"
import { applicationName } from "../headers/headers.ts"

/** Digests of a message's exact bytes (RFC 9530, and earlier ones), by their names in applications. */
const DIGESTS: ReadonlySet<string> = new Set(["content-md5", "digest", "content-digest", "repr-digest"])

/**
 * Removes the headers that are no longer true when a body has changed. `ETag` stays: it is the destination's name for
 * what it sent.
 */
export function headersOfChangedBody(rawHeaders: RawHeaders): RawHeaders {
  return headersWithout(rawHeaders, (name) => DIGESTS.has(applicationName(name)))
}

/** Does the same when the body has lost its content codings, too. */
export function headersOfDecodedBody(rawHeaders: RawHeaders): RawHeaders {
  return headersWithout(headersOfChangedBody(rawHeaders), (name) => name === "content-encoding")
}
