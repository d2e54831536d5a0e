import { KB, MAX_DOCUMENT_BYTES, MAX_PLAIN_FILE_BYTES, MB } from "@sealway/kernel"
import { longestTokenOf } from "@sealway/tokens"
import type { Hosting } from "../stage/configuration.ts"

/** The largest JSON document, in bytes, before anything in it is encrypted. */
export const MAX_JSON_BYTES = MAX_DOCUMENT_BYTES

/**
 * The largest JSON document that may hold tokens, in bytes: room for the token of the largest value, with 1 KB around
 * it, so that whatever may be sealed may be opened. A document of many values can grow past this. Its parts still open.
 */
export const MAX_SEALED_JSON_BYTES = longestTokenOf(MAX_JSON_BYTES) + KB

/** The most JSON documents that come one a line, in bytes: in base64, as API Gateway hands them over, they fit into its 6 MB. */
export const MAX_LINES_BYTES = 4 * MB

/**
 * The largest file, in bytes, before it is encrypted. Encrypted, it may have `FILE_OVERHEAD_BYTES` more. Lambda takes
 * and returns 6 MB, and API Gateway hands files over in base64: 4,500,000 bytes are what fits both ways with its
 * envelope around it.
 */
export const MAX_FILE_BYTES: Readonly<Record<Hosting, number>> = {
  "api-gateway": 4_500_000,
  container: MAX_PLAIN_FILE_BYTES,
}

/**
 * The longest body that can be handed back, as a JSON string: Lambda's 6 MB, less room for the envelope. As much must
 * fit into a request, whose headers have up to 10 KB, so that what was handed back can be sent again.
 */
export const MAX_REPLY_BYTES: Readonly<Record<Hosting, number>> = {
  "api-gateway": 6 * MB - 16 * KB,
  container: Number.POSITIVE_INFINITY,
}
