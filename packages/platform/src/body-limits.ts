import { FILE_OVERHEAD_BYTES } from "@sealway/tokens"
import type { Hosting } from "./configuration.ts"

const MEBIBYTE = 1024 * 1024

/** The largest JSON document, in bytes. */
export const MAX_JSON_BYTES = 5 * MEBIBYTE

/**
 * The largest file, in bytes. Lambda takes and returns 6 MiB, and API Gateway hands files over in base64, so that
 * 4,500,000 bytes are what fits both ways with its envelope around it. What encryption adds comes on top: a file of
 * the largest size is to come back once it is encrypted.
 */
export const MAX_FILE_BYTES: Readonly<Record<Hosting, number>> = {
  "api-gateway": 4_500_000 + FILE_OVERHEAD_BYTES,
  container: 25 * MEBIBYTE + FILE_OVERHEAD_BYTES,
}

/** The longest body that can be handed back, as a JSON string: Lambda's 6 MiB, less room for the envelope. */
export const MAX_REPLY_BYTES: Readonly<Record<Hosting, number>> = {
  "api-gateway": 6 * MEBIBYTE - 4096,
  container: Number.POSITIVE_INFINITY,
}
