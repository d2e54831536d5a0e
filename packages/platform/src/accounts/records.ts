import type { ApiKeyKind } from "./api-key.ts"

/** What an app is for. Values sealed in one app never open in another, so the two never mix. */
export type Environment = "sandbox" | "production"

export interface Team {
  readonly id: string
  readonly name: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Raised by each change. */
  readonly revision: number
}

export interface App {
  readonly id: string
  readonly teamId: string
  readonly name: string
  readonly environment: Environment
  /** A disabled app's credentials are refused. */
  readonly status: "enabled" | "disabled"
  /** Origins whose pages may embed or talk to what the app serves to browsers, as `Origin` has them. */
  readonly allowedOrigins: readonly string[]
  /** Whether a production app may ask for card insights. A sandbox app always may. */
  readonly cardInsights: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Raised by each change. */
  readonly revision: number
}

/** What is stored of an API key: never the key. */
export interface ApiKeyRecord {
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** See `hashApiKey`. */
  readonly hash: string
  readonly kind: ApiKeyKind
  readonly teamId: string
  /** Null for a team key. */
  readonly appId: string | null
  /** Granted scopes, or `["*"]` for all. Empty for a team key. */
  readonly scopes: readonly string[]
  /** Those of `scopes` that nobody chose: the key was issued before they existed, see `FORMERLY_UNSCOPED`. */
  readonly inheritedScopes: readonly string[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds from which on the key is no good; null for never. */
  readonly expiresAt: number | null
  /** Epoch milliseconds; null unless the key was revoked. */
  readonly revokedAt: number | null
  /** Raised by each change. */
  readonly revision: number
}
