/**
 * The scopes that an API key of an app can be granted: each allows one operation, or includes several others, see
 * `INCLUDED`. `*` grants all of them, including those of later releases.
 */
export const SCOPES = [
  "api:decrypt",
  "api:fingerprint",
  "api:inspect",
  "api:rewrap",
  "enclave:create",
  "enclave:read",
  "enclave:list",
  "enclave:delete",
  "enclave:write",
  "dataRole:create",
  "dataRole:read",
  "dataRole:list",
  "dataRole:update",
  "dataRole:delete",
  "dataRole:write",
  "dataPolicy:create",
  "dataPolicy:read",
  "dataPolicy:list",
  "dataPolicy:update",
  "dataPolicy:delete",
  "dataPolicy:write",
  "webhookEndpoint:create",
  "webhookEndpoint:read",
  "webhookEndpoint:list",
  "webhookEndpoint:update",
  "webhookEndpoint:delete",
  "webhookEndpoint:test",
  "webhookEvent:read",
  "webhookEvent:list",
  "webhookEvent:replay",
  "webhookEvent:trigger",
  "webhookEvent:listen",
  "webhook:read",
  "webhook:write",
  "function:create",
  "function:read",
  "function:list",
  "function:delete",
  "function:run",
  "function:write",
  "functionRun:read",
  "functionRun:list",
  "functionLog:list",
  "callbackSecret:read",
  "relay:create",
  "relay:read",
  "relay:list",
  "relay:test",
  "relay:update",
  "relay:delete",
  "relay:write",
  "relayActivity:read",
  "relayActivity:list",
  "relayAlert:create",
  "relayAlert:read",
  "relayAlert:list",
  "relayAlert:test",
  "relayAlert:update",
  "relayAlert:delete",
  "relayCustomDomain:create",
  "relayCustomDomain:read",
  "relayCustomDomain:list",
  "relayCustomDomain:verify",
  "relayCustomDomain:delete",
  "accessLog:read",
  "stats:read",
  "merchant:create",
  "merchant:read",
  "merchant:update",
  "merchant:delete",
  "acquirer:create",
  "acquirer:read",
  "acquirer:update",
  "acquirer:delete",
  "networkToken:create",
  "networkToken:read",
  "networkToken:delete",
  "networkToken:createCryptogram",
  "card:create",
  "card:read",
  "card:delete",
  "accountUpdater:subscribe",
  "accountUpdater:read",
  "accountUpdater:delete",
  "retryEnrolment:create",
  "retryEnrolment:read",
  "retryEnrolment:delete",
  "preChargebackAlert:read",
  "preChargebackAlert:update",
  "insights:create",
  "binLookup:create",
  "parLookup:create",
  "threeDSSession:create",
  "threeDSSession:read",
] as const

export type Scope = (typeof SCOPES)[number]

/**
 * The scopes that include others. They existed before the scopes of one operation each, and still grant everything they
 * used to: `dataRole:read` reads one role, as its name says, and lists roles too.
 */
const INCLUDED: Partial<Readonly<Record<Scope, readonly Scope[]>>> = {
  "enclave:read": ["enclave:list"],
  "enclave:write": ["enclave:create", "enclave:delete"],
  "dataRole:read": ["dataRole:list"],
  "dataRole:write": ["dataRole:create", "dataRole:update", "dataRole:delete"],
  "dataPolicy:read": ["dataPolicy:list"],
  "dataPolicy:write": ["dataPolicy:create", "dataPolicy:update", "dataPolicy:delete"],
  "webhook:read": ["webhookEndpoint:read", "webhookEndpoint:list", "webhookEvent:read", "webhookEvent:list"],
  "webhook:write": [
    "webhookEndpoint:create",
    "webhookEndpoint:update",
    "webhookEndpoint:delete",
    "webhookEndpoint:test",
    "webhookEvent:replay",
  ],
  "function:read": ["function:list", "functionRun:read", "functionRun:list", "functionLog:list"],
  "function:write": ["function:create", "function:delete", "callbackSecret:read"],
  "relay:read": [
    "relay:list",
    "relay:test",
    "relayActivity:read",
    "relayActivity:list",
    "relayAlert:read",
    "relayAlert:list",
    "relayCustomDomain:read",
    "relayCustomDomain:list",
  ],
  "relay:write": [
    "relay:create",
    "relay:update",
    "relay:delete",
    "relayAlert:create",
    "relayAlert:test",
    "relayAlert:update",
    "relayAlert:delete",
    "relayCustomDomain:create",
    "relayCustomDomain:verify",
    "relayCustomDomain:delete",
  ],
}

/**
 * The scopes for what any key of an app could do before they existed. A key issued before then keeps them until it is
 * narrowed.
 */
export const FORMERLY_UNSCOPED: readonly Scope[] = ["function:run"]

/** For each scope, the scopes that grant it: itself and those that include it. */
const GRANTED_BY: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  SCOPES.map((scope) => [scope, [scope, ...SCOPES.filter((each) => INCLUDED[each]?.includes(scope))]]),
)

/** True when a key's grants cover a scope: directly, as part of a wider one, or by `*`. */
export function grantsScope(granted: readonly string[], scope: Scope | "*"): boolean {
  return granted.includes("*") || (GRANTED_BY[scope] ?? []).some((each) => granted.includes(each))
}
