import { txtNameOf } from "./custom-domain.ts"
import type { DnsFailure, DnsQueries } from "./dns-queries.ts"

export type DomainCheck =
  | { readonly outcome: "right" }
  | {
      readonly outcome: "wrong"
      readonly problem: "txt-missing" | "txt-mismatch" | "cname-missing" | "cname-mismatch"
    }
  /** DNS gave no answer. */
  | { readonly outcome: "unknown"; readonly problem: DnsFailure }

/** How many aliases of aliases are followed. */
const MAX_ALIASES = 8

/**
 * Checks a domain's records: a TXT record that proves its owner, among others or alone, and a CNAME that leads to the
 * target, possibly in several steps. If a name server answers with addresses instead of an alias ("flattening", as at
 * the apex of a zone), they must be the target's.
 *
 * @param target lower case, without a final dot
 * @param signal ends the check, with its reason
 */
export async function checkDomain(
  dns: DnsQueries,
  { domain, token, target }: { readonly domain: string; readonly token: string; readonly target: string },
  signal: AbortSignal,
): Promise<DomainCheck> {
  const [txt, alias] = await Promise.all([
    dns.txt(txtNameOf(domain), signal),
    checkAlias(dns, domain, target, signal),
  ])
  if (!txt.ok) return { outcome: "unknown", problem: txt.failure }
  if (!txt.records.some((text) => text.trim() === token)) {
    return { outcome: "wrong", problem: txt.records.length === 0 ? "txt-missing" : "txt-mismatch" }
  }
  switch (alias) {
    case "right":
      return { outcome: "right" }
    case "cname-missing":
    case "cname-mismatch":
      return { outcome: "wrong", problem: alias }
    default:
      return { outcome: "unknown", problem: alias }
  }
}

async function checkAlias(
  dns: DnsQueries,
  domain: string,
  target: string,
  signal: AbortSignal,
): Promise<"right" | "cname-missing" | "cname-mismatch" | DnsFailure> {
  let name = domain
  let isAlias = false
  for (let step = 0; step < MAX_ALIASES; step++) {
    const answer = await dns.cname(name, signal)
    if (!answer.ok) return answer.failure
    const [alias] = answer.records
    if (alias === undefined) break
    if (alias === target) return "right"
    name = alias
    isAlias = true
  }
  const [own, wanted] = await Promise.all([dns.addresses(domain, signal), dns.addresses(target, signal)])
  if (!own.ok) return own.failure
  if (!wanted.ok) return wanted.failure
  if (own.records.length === 0) return isAlias ? "cname-mismatch" : "cname-missing"
  const addresses = new Set(wanted.records)
  return own.records.every((address) => addresses.has(address)) ? "right" : "cname-mismatch"
}
