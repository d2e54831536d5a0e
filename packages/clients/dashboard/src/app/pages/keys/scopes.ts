import type { CreateApiKeyRequest } from "@sealway/sdk/api"

/** A scope of an API key. */
export type Scope = CreateApiKeyRequest["body"]["scopes"][number]

/** What people choose from, by what it is for. The narrower scopes of one operation each are for the command line. */
export const SCOPE_GROUPS = [
  { group: "Everything", items: ["*"] },
  { group: "Values", items: ["api:decrypt", "api:fingerprint", "api:inspect", "api:rewrap"] },
  {
    group: "Data roles and policies",
    items: ["dataRole:read", "dataRole:write", "dataPolicy:read", "dataPolicy:write"],
  },
  { group: "Relays", items: ["relay:read", "relay:write"] },
  { group: "Functions", items: ["function:run", "function:read", "function:write", "functionRun:delete"] },
  {
    group: "Webhooks",
    items: ["webhook:read", "webhook:write", "webhookEvent:trigger", "webhookEvent:listen"],
  },
  {
    group: "Cards",
    items: [
      "card:create",
      "card:read",
      "card:delete",
      "networkToken:create",
      "networkToken:createCryptogram",
      "networkToken:read",
      "networkToken:delete",
      "threeDSSession:create",
      "threeDSSession:read",
      "binLookup:create",
      "parLookup:create",
      "insights:create",
    ],
  },
  {
    group: "Merchants and acquirers",
    items: [
      "merchant:create",
      "merchant:read",
      "merchant:update",
      "merchant:delete",
      "acquirer:create",
      "acquirer:read",
      "acquirer:update",
      "acquirer:delete",
    ],
  },
  {
    group: "After a payment",
    items: [
      "accountUpdater:subscribe",
      "accountUpdater:read",
      "accountUpdater:delete",
      "retryEnrolment:create",
      "retryEnrolment:read",
      "retryEnrolment:delete",
      "preChargebackAlert:read",
      "preChargebackAlert:update",
    ],
  },
  { group: "Enclaves", items: ["enclave:read", "enclave:write"] },
  { group: "Data subjects", items: ["dataSubject:read", "dataSubject:write"] },
  { group: "Honey tokens", items: ["honeyToken:read", "honeyToken:write"] },
  {
    group: "Formats",
    items: [
      "format:create",
      "format:read",
      "format:list",
      "format:update",
      "format:rotate",
      "format:encrypt",
      "format:decrypt",
      "format:rewrap",
    ],
  },
  { group: "Files", items: ["file:read", "file:write"] },
  { group: "Logs and figures", items: ["accessLog:read", "stats:read"] },
] as const satisfies readonly { readonly group: string; readonly items: readonly Scope[] }[]

const CHOICES: readonly string[] = SCOPE_GROUPS.flatMap(({ items }) => items)

export function isScope(text: string): text is Scope {
  return CHOICES.includes(text)
}
