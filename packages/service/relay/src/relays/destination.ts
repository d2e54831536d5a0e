import { isIP } from "node:net"
import { checkDestinationUrl, isHostName } from "@sealway/kernel"
import type { Destination } from "./relay.ts"

/**
 * The maximum length of a destination in a request, in characters: a name of 253, a scheme and a port, with room for
 * Unicode.
 */
export const MAX_DESTINATION_CHARACTERS = 300

export const USUAL_PORTS: Readonly<Record<Destination["scheme"], number>> = { https: 443, http: 80 }

export interface DestinationOptions {
  /** Where private addresses, single-label names and `http://` are allowed. */
  readonly allowPrivate: boolean
}

export type ParsedDestination =
  | { readonly ok: true; readonly destination: Destination }
  /** A sentence for people that contains no input. */
  | { readonly ok: false; readonly reason: string }

/**
 * Parses a destination: a host name (Unicode becomes its ASCII form), an IPv4 address or an IPv6 address in brackets,
 * with a port unless it is the scheme's default, and an optional `https://`, or `http://` if allowed. The addresses of
 * a name are checked on each connection.
 */
export function parseDestination(text: string, { allowPrivate }: DestinationOptions): ParsedDestination {
  if (text.length > MAX_DESTINATION_CHARACTERS) {
    return refused(`The destination is longer than ${MAX_DESTINATION_CHARACTERS} characters.`)
  }
  const isPlain = text.startsWith("http://")
  if (isPlain && !allowPrivate) return refused("Only https destinations are allowed.")
  const rest = text.replace(/^https?:\/\//, "")
  const problem = spellingProblem(rest)
  if (problem !== null) return refused(problem)

  const scheme = isPlain ? "http" : "https"
  const [, given = "", portText] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(rest) ?? []
  const port = portText === undefined ? USUAL_PORTS[scheme] : portOf(portText)
  if (port === null) return refused("The port must be a number from 1 to 65535.")
  const host = hostOf(given)
  if (host === null) return refused("The destination is not a host name or an IP address.")
  if (isIP(host) === 0 && !host.includes(".") && !allowPrivate) {
    return refused("The destination is not a public host name: it has no dot.")
  }
  if (!checkDestinationUrl(`https://${bracketed(host)}/`, { allowPrivate }).admitted) {
    return refused("The destination's address is not public.")
  }
  return { ok: true, destination: { scheme, host, port } }
}

/** Formats a `Host` header for a destination: with the port only if it is not the scheme's default. */
export function formatHost({ scheme, host, port }: Destination): string {
  return port === USUAL_PORTS[scheme] ? bracketed(host) : `${bracketed(host)}:${port}`
}

/** Returns the key of a destination within an app, which also names it in records: `api.example.com:443`. */
export function destinationKey({ host, port }: Pick<Destination, "host" | "port">): string {
  return `${host}:${port}`
}

export function hasUsualPort({ scheme, port }: Destination): boolean {
  return port === USUAL_PORTS[scheme]
}

/**
 * Normalises a host name to ASCII and lower case, without a final dot; null when it is invalid, or means every host
 * (`*`).
 *
 * @param text without port; an IPv6 address in brackets, which are removed
 */
export function hostOf(text: string): string | null {
  const hostname = URL.parse(`https://${text}`)?.hostname
  if (hostname === undefined || hostname === "") return null
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
  // The parser accepts `127.1`, `0x7f.1` and `2130706433` as addresses. Such spellings hide something.
  if (isIP(host) === 4) return text === host ? host : null
  if (isIP(host) === 6) return host
  return isHostName(host, { allowUnderscores: true }) ? host : null
}

/** The parser would ignore some of these, so the destination shown would differ from the one used. */
function spellingProblem(text: string): string | null {
  if (text === "") return "The destination is empty."
  if (/[\s\p{Cc}\p{Cf}]/u.test(text)) return "The destination contains white space or control characters."
  if (text.includes("://")) return "Write the destination without this scheme: relays use https."
  if (text.includes("@")) return "The destination contains credentials."
  if (text.includes("*")) return "The destination must be one host. Wildcards are not supported."
  if (/[/\\?#]/.test(text)) return "The destination must be a host, without path, query or fragment."
  if (text.includes("%"))
    return "The destination contains a percent sign, which is not allowed in a host name."
  return null
}

function portOf(text: string): number | null {
  if (!/^[1-9][0-9]{0,4}$/.test(text)) return null
  const port = Number(text)
  return port <= 65_535 ? port : null
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host
}

function refused(reason: string): ParsedDestination {
  return { ok: false, reason }
}
