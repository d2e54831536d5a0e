import { KB, MAX_DOCUMENT_BYTES, MAX_PLAIN_FILE_BYTES, MB } from "@sealway/kernel"
import type { Hosting } from "@sealway/ports"
import { longestTokenOf } from "@sealway/tokens"

/** The largest JSON document to encrypt, in bytes. */
export const MAX_JSON_BYTES = MAX_DOCUMENT_BYTES

/**
 * The largest JSON document that may hold tokens, in bytes: room for the token of the largest value and 1 KB around it,
 * so that everything that may be sealed may be opened. A document of many values can grow beyond this; its parts still
 * open.
 */
export const MAX_SEALED_JSON_BYTES = longestTokenOf(MAX_JSON_BYTES) + KB

/** The largest body of JSON lines, in bytes. API Gateway passes it on in base64, which then fits into its 6 MB. */
export const MAX_LINES_BYTES = 4 * MB

/**
 * The largest file to encrypt, in bytes. Encrypted, it may be `FILE_OVERHEAD_BYTES` longer. Lambda accepts and returns
 * 6 MB, and API Gateway passes files on in base64: 4,500,000 bytes fit both ways with its envelope.
 */
export const MAX_FILE_BYTES: Readonly<Record<Hosting, number>> = {
  "api-gateway": 4_500_000,
  container: MAX_PLAIN_FILE_BYTES,
}

/**
 * The longest body that can be returned as a JSON string: Lambda's 6 MB, less room for the envelope. The same size must
 * fit into a request with up to 10 KB of headers, so that a returned body can be sent again.
 */
export const MAX_REPLY_BYTES: Readonly<Record<Hosting, number>> = {
  "api-gateway": 6 * MB - 16 * KB,
  container: Number.POSITIVE_INFINITY,
}
