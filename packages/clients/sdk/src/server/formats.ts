import { decryptFormat, encryptFormat, rewrapFormat } from "../api/generated/index.ts"
import { requireJson } from "../requests/json-arguments.ts"
import type { CallOptions, Transport } from "../requests/transport.ts"
import type { DecryptOptions } from "./sealway.ts"

export interface FormatOptions extends CallOptions {
  /** Public text that goes into the tokens, such as your id of a customer: visible ASCII, at most 255 characters. */
  readonly tweak?: string | undefined
}

export interface FormatTokenOptions extends FormatOptions {
  /** The version of the format that the tokens are of. Not for a format whose tokens name it. Default: the newest. */
  readonly version?: number | undefined
}

export interface FormatDecryptOptions extends FormatTokenOptions, Pick<DecryptOptions, "reveal" | "reason"> {}

/**
 * Changes values to tokens that look like them, and back. The service does it: nobody else has the keys. In JSON of any
 * shape, each string is one of at most 10,000 values, and numbers and booleans are refused.
 */
export interface Formats {
  /** @param format id or name @throws ApiError `invalid-request` if a value is not one of the format */
  encrypt<Values>(format: string, values: Values, options?: FormatOptions): Promise<Values>
  /** @throws ApiError as `Sealway.decrypt`, and `invalid-request` if a token is not one of the format */
  decrypt<Values>(format: string, tokens: Values, options?: FormatDecryptOptions): Promise<Values>
  /** Returns tokens of the newest version. `version` is required, unless the tokens name it. */
  rewrap<Values>(format: string, tokens: Values, options?: FormatTokenOptions): Promise<Values>
}

export function createFormats(transport: Transport): Formats {
  return {
    async encrypt<Values>(formatId: string, body: Values, { tweak, ...options }: FormatOptions = {}) {
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
      { tweak, version, ...options }: FormatTokenOptions = {},
    ) {
      requireJson("tokens", body)
      return (await rewrapFormat(transport, { formatId, tweak, version, body }, options)) as Values
    },
  }
}
