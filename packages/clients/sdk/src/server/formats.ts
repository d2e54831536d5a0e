import {
  type DecryptFormatRequest,
  decryptFormat,
  type EncryptFormatRequest,
  encryptFormat,
  type RewrapFormatRequest,
  rewrapFormat,
} from "../api/generated/index.ts"
import { requireJson } from "../requests/json-arguments.ts"
import type { CallOptions, Transport } from "../requests/transport.ts"

export interface FormatEncryptOptions extends CallOptions, Omit<EncryptFormatRequest, "formatId" | "body"> {}
export interface FormatDecryptOptions extends CallOptions, Omit<DecryptFormatRequest, "formatId" | "body"> {}
export interface FormatRewrapOptions extends CallOptions, Omit<RewrapFormatRequest, "formatId" | "body"> {}

/**
 * Changes values to tokens that look like them, and back. The service does it: nobody else has the keys. In JSON of any
 * shape, each string is one of at most 10,000 values, and numbers and booleans are refused.
 */
export interface Formats {
  /** @param format id or name @throws ApiError `invalid-request` if a value is not one of the format */
  encrypt<Values>(format: string, values: Values, options?: FormatEncryptOptions): Promise<Values>
  /** @throws ApiError as `Sealway.decrypt`, and `invalid-request` if a token is not one of the format */
  decrypt<Values>(format: string, tokens: Values, options?: FormatDecryptOptions): Promise<Values>
  /** Returns tokens of the newest version. `version` is required, unless the tokens name it. */
  rewrap<Values>(format: string, tokens: Values, options?: FormatRewrapOptions): Promise<Values>
}

export function createFormats(transport: Transport): Formats {
  return {
    async encrypt<Values>(formatId: string, body: Values, { tweak, ...options }: FormatEncryptOptions = {}) {
      requireJson("values", body)
      return (await encryptFormat(transport, { formatId, tweak, body }, options)) as Values
    },
    async decrypt<Values>(
      formatId: string,
      body: Values,
      { tweak, version, reveal, reason, ...options }: FormatDecryptOptions = {},
    ) {
      requireJson("tokens", body)
      const input = { formatId, tweak, version, reveal, reason, body }
      return (await decryptFormat(transport, input, options)) as Values
    },
    async rewrap<Values>(
      formatId: string,
      body: Values,
      { tweak, version, ...options }: FormatRewrapOptions = {},
    ) {
      requireJson("tokens", body)
      return (await rewrapFormat(transport, { formatId, tweak, version, body }, options)) as Values
    },
  }
}
