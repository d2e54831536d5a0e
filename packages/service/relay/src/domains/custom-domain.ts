import { createHash } from "node:crypto"
import { isHostName } from "@sealway/kernel"
import { hostOf } from "../relays/destination.ts"
import { isRelaySubdomain } from "../relays/relay-domains.ts"

/**
 * What was wrong at the last check. `dns-timeout` and `dns-unavailable` say nothing about the domain; `taken`: another
 * app has verified it.
 */
export const DOMAIN_PROBLEMS = [
  "txt-missing",
  "txt-mismatch",
  "cname-missing",
  "cname-mismatch",
  "dns-timeout",
  "dns-unavailable",
  "taken",
  "edge-failed",
] as const
export type DomainProblem = (typeof DOMAIN_PROBLEMS)[number]

/** `verified`: its records are correct, and the edge is not ready for it yet. */
export const CUSTOM_DOMAIN_STATUSES = ["pending", "verified", "active", "failed"] as const

/** A customer's own domain that leads to a relay. */
export interface CustomDomain {
  readonly id: string
  readonly appId: string
  readonly relayId: string
  /** ASCII, lower case. */
  readonly domain: string
  readonly status: (typeof CUSTOM_DOMAIN_STATUSES)[number]
  readonly problem: DomainProblem | null
  /** Epoch milliseconds; null before the first check. */
  readonly checkedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
  readonly revision: number
}

/** The label before a domain for its TXT record. */
const TXT_LABEL = "_ev-custom-domain"
const TOKEN_CONTEXT = "sealway/v1/custom-domain"

export type ParsedDomain =
  | { readonly ok: true; readonly domain: string }
  /** A sentence for people that contains no input. */
  | { readonly ok: false; readonly reason: string }

/** @param relayDomain the suffix of all relays' own domains */
export function parseCustomDomain(text: string, relayDomain: string): ParsedDomain {
  const refused = (reason: string): ParsedDomain => ({ ok: false, reason })
  if (text.includes("*")) return refused("A custom domain must be one name. Wildcards are not supported.")
  if (/[\s\p{Cc}\p{Cf}/\\?#@%:[\]]/u.test(text)) return refused("Not a valid domain name.")
  const domain = hostOf(text)
  // No certificate is issued for a name with an underscore.
  if (domain === null || !isHostName(domain)) return refused("Not a valid domain name.")
  if (!domain.includes(".")) return refused("A custom domain must have at least two labels.")
  if (txtNameOf(domain).length > 253)
    return refused("The domain is too long: the name of its TXT record would exceed the limit.")
  if (domain === relayDomain || isRelaySubdomain(domain, relayDomain)) {
    return refused("The domain is in the relay domain of this service.")
  }
  return { ok: true, domain }
}

export function txtNameOf(domain: string): string {
  return `${TXT_LABEL}.${domain}`
}

/**
 * Returns the content of a domain's TXT record for an app. It is not secret: it only works in the DNS of the domain's
 * owner, and only for this app, so that nobody can use another app's.
 */
export function txtTokenOf(appId: string, domain: string): string {
  return createHash("sha256").update([TOKEN_CONTEXT, appId, domain].join("\0")).digest("hex")
}
