/** What an API key of an app may be granted. `*` grants all of them, those of later releases included. */
export const SCOPES = [
  "api:decrypt",
  "api:fingerprint",
  "api:inspect",
  "api:rewrap",
  "dataRole:read",
  "dataRole:write",
  "dataPolicy:read",
  "dataPolicy:write",
  "webhook:read",
  "webhook:write",
  "function:read",
  "function:write",
  "function:run",
  "relay:read",
  "relay:write",
] as const

export type Scope = (typeof SCOPES)[number]

/**
 * Scopes for what any key of an app could do before they existed. A key issued before then keeps them, until it is
 * narrowed.
 */
export const FORMERLY_UNSCOPED: readonly Scope[] = ["function:run"]

/** True when a key's grants cover a scope, or all scopes (`*`). */
export function grantsScope(granted: readonly string[], scope: Scope | "*"): boolean {
  return granted.includes("*") || granted.includes(scope)
}
