import { Resolver } from "node:dns/promises"
import { errorCodeOf } from "@sealway/kernel"

/** Why a name server gave no answer. */
export type DnsFailure = "dns-timeout" | "dns-unavailable"

/** Records of a name, none where it has none or does not exist; or that this could not be found out. */
export type DnsAnswer =
  | { readonly ok: true; readonly records: readonly string[] }
  | { readonly ok: false; readonly failure: DnsFailure }

/** What verifying custom domains asks of DNS. */
export interface DnsQueries {
  /** Texts, each with its parts joined (RFC 1035 section 3.3.14). */
  txt(name: string): Promise<DnsAnswer>
  /** The name that a name is an alias of, without following it further. Lower case, without a final dot. */
  cname(name: string): Promise<DnsAnswer>
  /** IPv4 and IPv6 addresses. */
  addresses(name: string): Promise<DnsAnswer>
}

export interface DnsOptions {
  /** `host:port`. Empty: the system's. */
  readonly servers: readonly string[]
  /** How long one try may take. Default: 2,000. */
  readonly timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 2_000
const TRIES = 2
/** There is nothing of the kind, by RFC 1035 section 4.1.1 and RFC 2308. */
const ABSENT = new Set(["ENODATA", "ENOTFOUND"])
const MAX_RECORDS = 100

export function createDnsQueries({ servers, timeoutMs = DEFAULT_TIMEOUT_MS }: DnsOptions): DnsQueries {
  async function ask(query: (resolver: Resolver) => Promise<readonly string[]>): Promise<DnsAnswer> {
    // A resolver keeps answers; who has just changed a record wants it read anew.
    const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES })
    if (servers.length > 0) resolver.setServers(servers)
    try {
      return { ok: true, records: (await query(resolver)).slice(0, MAX_RECORDS) }
    } catch (error) {
      const code = errorCodeOf(error)
      if (ABSENT.has(code)) return { ok: true, records: [] }
      return { ok: false, failure: code === "ETIMEOUT" ? "dns-timeout" : "dns-unavailable" }
    }
  }

  return {
    txt: (name) => ask(async (resolver) => (await resolver.resolveTxt(name)).map((parts) => parts.join(""))),
    cname: (name) => ask(async (resolver) => (await resolver.resolveCname(name)).map(plainName)),
    async addresses(name) {
      const answers = await Promise.all([
        ask((resolver) => resolver.resolve4(name)),
        ask((resolver) => resolver.resolve6(name)),
      ])
      const records = answers.flatMap((answer) => (answer.ok ? answer.records : []))
      const failed = answers.find((answer) => !answer.ok)
      return records.length === 0 && failed !== undefined ? failed : { ok: true, records }
    },
  }
}

/** Names are the same whatever their case (RFC 1035 section 2.3.3), with a final dot or without. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "")
}
