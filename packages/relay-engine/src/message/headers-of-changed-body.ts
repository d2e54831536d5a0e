import { headersWithout, type RawHeaders } from "@sealway/kernel"
import { applicationName } from "../headers/headers.ts"

/** Digests of the very bytes of a message (RFC 9530, and the ones before it), as applications see their names. */
const DIGESTS: ReadonlySet<string> = new Set(["content-md5", "digest", "content-digest", "repr-digest"])

/** What stays true of a message whose body has become another. `ETag` does: it is the destination's name for what it sent. */
export function headersOfChangedBody(rawHeaders: RawHeaders): RawHeaders {
  return headersWithout(rawHeaders, (name) => DIGESTS.has(applicationName(name)))
}

/** The same where the body has lost its content codings, too. */
export function headersOfDecodedBody(rawHeaders: RawHeaders): RawHeaders {
  return headersWithout(headersOfChangedBody(rawHeaders), (name) => name === "content-encoding")
}
