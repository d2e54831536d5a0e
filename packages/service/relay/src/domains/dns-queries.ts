import { Resolver } from "node:dns/promises"
import { errorCodeOf } from "@sealway/kernel"

/** Why a name server gave no answer. */
export type DnsFailure = "dns-timeout" | "dns-unavailable"

/** The records of a name, none when it has none or does not exist; or that this could not be determined. */
export type DnsAnswer =
  | { readonly ok: true; readonly records: readonly string[] }
  | { readonly ok: false; readonly failure: DnsFailure }

/** The DNS queries for verifying custom domains. A signal ends a query, with its reason. */
export interface DnsQueries {
  /** Returns texts, each with its parts joined (RFC 1035 section 3.3.14). */
  txt(name: string, signal?: AbortSignal): Promise<DnsAnswer>
  /** Returns the alias target of a name, without following it further. Lower case, without a final dot. */
  cname(name: string, signal?: AbortSignal): Promise<DnsAnswer>
  /** Returns IPv4 and IPv6 addresses. */
  addresses(name: string, signal?: AbortSignal): Promise<DnsAnswer>
}

export interface DnsOptions {
  /** `host:port`. Empty: the system's. */
  readonly servers: readonly string[]
  /** The timeout of one try. Default: 2,000. */
  readonly timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 2_000
const TRIES = 2
/** There are no such records, by RFC 1035 section 4.1.1 and RFC 2308. */
const ABSENT = new Set(["ENODATA", "ENOTFOUND"])
const MAX_RECORDS = 100

export function createDnsQueries({ servers, timeoutMs = DEFAULT_TIMEOUT_MS }: DnsOptions): DnsQueries {
  async function ask(
    signal: AbortSignal | undefined,
    query: (resolver: Resolver) => Promise<readonly string[]>,
  ): Promise<DnsAnswer> {
    signal?.throwIfAborted()
    // A resolver caches answers; a user who has just changed a record wants a fresh one.
    const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES })
    if (servers.length > 0) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal?.addEventListener("abort", cancel)
    try {
      return { ok: true, records: (await query(resolver)).slice(0, MAX_RECORDS) }
    } catch (error) {
      signal?.throwIfAborted()
      const code = errorCodeOf(error)
      if (ABSENT.has(code)) return { ok: true, records: [] }
      return { ok: false, failure: code === "ETIMEOUT" ? "dns-timeout" : "dns-unavailable" }
    } finally {
      signal?.removeEventListener("abort", cancel)
    }
  }

  return {
    txt: (name, signal) =>
      ask(signal, async (resolver) => (await resolver.resolveTxt(name)).map((parts) => parts.join(""))),
    cname: (name, signal) =>
      ask(signal, async (resolver) => (await resolver.resolveCname(name)).map(plainName)),
    async addresses(name, signal) {
      const answers = await Promise.all([
        ask(signal, (resolver) => resolver.resolve4(name)),
        ask(signal, (resolver) => resolver.resolve6(name)),
      ])
      const records = answers.flatMap((answer) => (answer.ok ? answer.records : []))
      const failed = answers.find((answer) => !answer.ok)
      return records.length === 0 && failed !== undefined ? failed : { ok: true, records }
    },
  }
}

/** Names are not case-sensitive (RFC 1035 section 2.3.3), and may have a final dot. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "")
}
