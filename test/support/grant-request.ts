import type { App, Platform, Team } from "@sealway/platform"

/** What is there before a request: made by another process, so that nothing of it is warm. */
export interface Given {
  readonly platform: Platform
  readonly team: Team
  readonly app: App
  readonly teamKey: string
  readonly apiKey: string
  readonly apiKeyId: string
  /** Sends a request to that other process. @returns the JSON of the answer */
  prepare(endpointId: string, request: GrantRequest): Promise<Record<string, string>>
}

/** A request to an endpoint, of which the AWS calls are looked at. */
export interface GrantRequest {
  readonly auth?: "app" | "team" | "nobody"
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, in the place of a body. */
  readonly text?: string
  /** Default: what the endpoint answers when all is well. */
  readonly status?: number
}

/** By endpoint: requests that do all that it does. */
export type GrantRequests = Record<
  string,
  (given: Given) => GrantRequest | Promise<GrantRequest | readonly GrantRequest[]>
>
