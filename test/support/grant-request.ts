import type { App, Team } from "@sealway/accounts"
import type { Platform } from "@sealway/http"

/** What exists before a request: created by another process, so that nothing of it is cached. */
export interface Prerequisites {
  readonly platform: Platform
  readonly team: Team
  readonly app: App
  readonly teamKey: string
  readonly apiKey: string
  readonly apiKeyId: string
  /** Sends a request to that other process. @returns the JSON of the answer */
  prepare(endpointId: string, request: GrantRequest): Promise<Record<string, string>>
}

/** A request to an endpoint whose AWS calls are checked. */
export interface GrantRequest {
  readonly auth?: "app" | "team" | "nobody"
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged in place of a body. */
  readonly text?: string
  /** Default: what the endpoint answers on success. */
  readonly status?: number
  /** What a repetition answers. Default: the same. */
  readonly repeatedStatus?: number
}

/** By endpoint: requests that do everything it does. */
export type GrantRequests = Record<
  string,
  (given: Prerequisites) => GrantRequest | Promise<GrantRequest | readonly GrantRequest[]>
>
