import { type ClientSideToken, createClientSideToken } from "../api/generated/index.ts"
import type { CallOptions, Transport } from "../requests/transport.ts"

export interface ClientTokenOptions extends CallOptions {
  /** When the token ends, less than ten minutes from now. Default: five minutes from now. */
  readonly expiry?: Date | number
}

/** Issues tokens with which a browser decrypts one document. */
export interface ClientTokens {
  /** @param payload the only document that the token decrypts */
  create(payload: object, options?: ClientTokenOptions): Promise<ClientSideToken>
}

export function createClientTokens(transport: Transport): ClientTokens {
  return {
    create(payload, { expiry, ...options } = {}) {
      const body = {
        action: "api:decrypt",
        payload: payload as Readonly<Record<string, unknown>>,
        ...(expiry !== undefined && { expiry: Number(expiry) }),
      } as const
      return createClientSideToken(transport, { body }, options)
    },
  }
}
