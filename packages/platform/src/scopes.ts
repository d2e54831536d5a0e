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
  "relay:read",
  "relay:write",
] as const

export type Scope = (typeof SCOPES)[number]

/** True when a key's grants cover a scope. */
export function grantsScope(granted: readonly string[], scope: Scope): boolean {
  return granted.includes("*") || granted.includes(scope)
}
