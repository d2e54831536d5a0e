import type { ApiKeyKind } from "./api-key.ts"

/** What an app is for. Values sealed in one app never open in another, so the two never mix. */
export type Environment = "sandbox" | "production"

export interface Team {
  readonly id: string
  readonly name: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

export interface App {
  readonly id: string
  readonly teamId: string
  readonly name: string
  readonly environment: Environment
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** What is stored of an API key: never the key. */
export interface ApiKeyRecord {
  readonly id: string
  /** See `hashApiKey`. */
  readonly hash: string
  readonly kind: ApiKeyKind
  readonly teamId: string
  /** Null for a team key. */
  readonly appId: string | null
  /** Granted scopes, or `["*"]` for all. Empty for a team key. */
  readonly scopes: readonly string[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; null while the key is in force. */
  readonly revokedAt: number | null
}
