import {
  type ClientSideToken,
  type CreateClientSideTokenRequest,
  createClientSideToken,
} from "../api/generated/index.ts"
import { requireVisible } from "../requests/authorization.ts"
import { requireJson, requireObject } from "../requests/json-arguments.ts"
import { pathSegment } from "../requests/path-segment.ts"
import type { CallOptions, Transport } from "../requests/transport.ts"

export interface ClientTokenOptions extends CallOptions {
  /** When the token ends, less than ten minutes from now. Default: five minutes from now. */
  readonly expiry?: Date | number
}

export interface RevealUrlOptions extends ClientTokenOptions {
  /** The team's id, `team_…`. */
  readonly teamId: string
}

/** Where an app's frames are. */
interface RevealAddress {
  /** Address of the service. */
  readonly base: string
  readonly appId: string
}

/** Issues tokens with which a browser decrypts one document. */
export interface ClientTokens {
  /** @param payload the only document that the token decrypts: JSON of any shape but null */
  create(payload: object | string | number | boolean, options?: ClientTokenOptions): Promise<ClientSideToken>
  /**
   * Issues a token for one frame of a page, `sealway.reveal`: what the service answers to it can only be read by the frame.
   *
   * @param key the frame's public key, from the page
   */
  createForFrame(payload: object, key: string, options?: ClientTokenOptions): Promise<ClientSideToken>
  /**
   * Returns the address to which a server redirects the request of `sealway.reveal(place, { from })`. No page can see it.
   *
   * @param key the parameter `key` of the request
   */
  revealUrl(payload: object, key: string, options: RevealUrlOptions): Promise<string>
}

export function createClientTokens(transport: Transport, address: RevealAddress): ClientTokens {
  return {
    async createForFrame(payload, key, { expiry, ...options } = {}) {
      requireObject("payload", payload)
      requireVisible("key", key)
      const document = payload as Readonly<Record<string, unknown>>
      const body = { action: "api:reveal", key, payload: document, ...expiryOf(expiry) } as const
      return createClientSideToken(transport, { body }, options)
    },
    async revealUrl(payload, key, { teamId, ...options }) {
      const { token } = await this.createForFrame(payload, key, options)
      const path = `/elements/${pathSegment("teamId", teamId)}/${pathSegment("appId", address.appId)}/reveal`
      return `${address.base}${path}#${token}&${encodeURIComponent(JSON.stringify(payload))}`
    },
    async create(payload, { expiry, ...options } = {}) {
      requireJson("payload", payload)
      const body = {
        action: "api:decrypt",
        payload: payload as CreateClientSideTokenRequest["body"]["payload"],
        ...expiryOf(expiry),
      } as const
      return createClientSideToken(transport, { body }, options)
    },
  }
}

/** JSON has null for what is no number, and null means the default. */
function expiryOf(expiry: Date | number | undefined): { readonly expiry?: number } {
  if (expiry === undefined) return {}
  const epochMs = Number(expiry)
  if (!Number.isFinite(epochMs)) throw new TypeError("expiry must be a date, or a number of milliseconds.")
  return { expiry: epochMs }
}
