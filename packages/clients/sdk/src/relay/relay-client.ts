import { fetchFromHost } from "#shared-relay"
import type { Relay } from "../api/generated/index.ts"
import { listRelays } from "../api/generated/index.ts"
import { SealwayError } from "../errors/errors.ts"
import { readRefusal } from "../requests/read-answer.ts"
import { parseServiceAddress } from "../requests/service-address.ts"
import type { Transport } from "../requests/transport.ts"

/** How long the app's relays are remembered. */
const MAX_AGE_MS = 60_000
const PAGE_SIZE = 100

export interface RelayClientOptions {
  readonly transport: Transport
  readonly fetch: typeof fetch
  /** The headers that a relay authenticates with. */
  readonly credentials: () => Readonly<Record<string, string>>
  /** Where all relays are, if not at their own domains; null otherwise. */
  readonly relayUrl: string | null
  readonly allowHttp: boolean
  /** A clock, in milliseconds. */
  readonly now: () => number
}

/** Sends requests to destinations through the app's relays. */
export interface RelayClient {
  /**
   * Like `fetch` with the address of the destination, but through the relay of the app that stands before it: the relay
   * encrypts and decrypts what its routes say. Needs an API key with the scope `relay:read`. Redirects are returned, not
   * followed, because the API key would go with them.
   *
   * @throws TypeError if the app has no relay for the destination: the request is not sent around the relay
   * @throws ApiError if the relay refuses the request; the destination's refusals are returned
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
}

export function createRelayClient(options: RelayClientOptions): RelayClient {
  const { transport, fetch, credentials, allowHttp, now } = options
  const sharedAddress =
    options.relayUrl === null ? null : parseServiceAddress("relayUrl", options.relayUrl, allowHttp)
  let known: { readonly domains: ReadonlyMap<string, string>; readonly atMs: number } | null = null

  const load = async (signal: AbortSignal | undefined) => {
    const domains = new Map<string, string>()
    for await (const relay of listRelays(transport, { limit: PAGE_SIZE }, { signal })) {
      domains.set(originOfDestination(relay), relay.relayDomain)
    }
    known = { domains, atMs: now() }
    return domains
  }
  const domainOf = async (origin: string, signal: AbortSignal | undefined): Promise<string> => {
    const ageMs = known === null ? Number.POSITIVE_INFINITY : now() - known.atMs
    const remembered = ageMs >= 0 && ageMs < MAX_AGE_MS ? known?.domains.get(origin) : undefined
    // A relay that was just created is not remembered yet.
    const domain = remembered ?? (await load(signal)).get(origin)
    if (domain === undefined) throw new TypeError("The app has no relay for this destination.")
    return domain
  }

  return {
    async fetch(url, init = {}) {
      if (init.redirect !== undefined && init.redirect !== "manual") {
        throw new TypeError(
          "Redirects cannot be followed through a relay: pass redirect: manual, or nothing.",
        )
      }
      const target = parseTarget(url)
      if (target.username !== "" || target.password !== "") {
        throw new TypeError("The address must not contain credentials. Send them in a header.")
      }
      const headers = parseHeaders(init.headers)
      const domain = await domainOf(target.origin, init.signal ?? undefined)
      for (const [name, value] of Object.entries(credentials())) headers.set(name, value)
      const path = target.pathname + target.search
      const request: RequestInit = { ...init, headers, redirect: "manual" }
      const response =
        sharedAddress === null
          ? await fetch(addressOf(domain) + path, request)
          : await fetchFromHost(domain, sharedAddress + path, request)
      if (!response.headers.has("x-service-error-code")) return response
      throw await readRefusal(response)
    },
  }
}

/**
 * Accepts only http and https: the origin of `blob:https://api.example.com/` is that of a destination, but its path begins
 * without a slash, and would become a part of the relay's host name.
 *
 * @throws TypeError without the address, which may contain values
 */
function parseTarget(url: string | URL): URL {
  const target = URL.canParse(String(url)) ? new URL(url) : null
  if (target?.protocol !== "https:" && target?.protocol !== "http:") {
    throw new TypeError("The address must be a URL that begins with https:// or http://.")
  }
  return target
}

/** @throws TypeError without the header, which the error of the runtime repeats */
function parseHeaders(headers: RequestInit["headers"]): Headers {
  try {
    return new Headers(headers)
  } catch {
    throw new TypeError("A header has a name or a value that cannot be sent.")
  }
}

/** Returns a destination as the origin of the requests that are for it. */
function originOfDestination({ destinationDomain }: Relay): string {
  return new URL(destinationDomain.includes("://") ? destinationDomain : `https://${destinationDomain}`)
    .origin
}

function addressOf(domain: string): string {
  const url = new URL(`https://${domain}`)
  if (url.host !== domain.toLowerCase()) {
    throw new SealwayError("unexpected-response", "The service names a relay whose domain is malformed.")
  }
  return url.origin
}
