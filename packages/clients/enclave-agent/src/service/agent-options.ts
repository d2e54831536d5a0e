/** What the agent knows about its app. */
export interface AppOptions {
  /** Where the API is: `https://api.example.com`. */
  readonly serviceUrl: string
  readonly teamId: string
  readonly appId: string
  /** Null when the image is registered for the app. */
  readonly apiKey: string | null
}

/** What calls need besides. */
export interface CallDependencies {
  readonly fetch: typeof globalThis.fetch
}

/** How long a call of the API may take. */
export const CALL_TIMEOUT_MS = 30_000
