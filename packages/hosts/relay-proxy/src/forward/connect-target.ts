import type { RelayErrorCode } from "@sealway/kernel"
import { hostOf } from "@sealway/relay"

/** The parsed target of a CONNECT request. */
export interface ConnectTarget {
  /** In lower case, without a final dot; an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
}

export type ParsedConnectTarget =
  | { readonly ok: true; readonly target: ConnectTarget }
  | { readonly ok: false; readonly code: RelayErrorCode; readonly detail: string }

/** The longest name, a final dot, and a port. */
const MAX_CHARACTERS = 253 + 1 + 6
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):([0-9]{1,5})$/i

/**
 * Parses the target of a CONNECT request, `host:port` (RFC 9110 section 9.3.6, RFC 9112 section 3.2.3). There is no
 * default port, and nothing else is allowed in it: text that parsers read differently would reach a different host than
 * the one that is looked up.
 */
export function parseConnectTarget(text: string): ParsedConnectTarget {
  if (/^:?[0-9]*$/.test(text)) {
    return { ok: false, code: "no-hostname-in-request", detail: "The CONNECT request has no host." }
  }
  const [, name, digits] = text.length <= MAX_CHARACTERS ? (AUTHORITY.exec(text) ?? []) : []
  const host = name === undefined ? null : hostOf(name)
  const port = Number(digits)
  if (host === null || !(port >= 1 && port <= 65_535)) {
    const detail = "A CONNECT request must have a host and a port from 1 to 65535, as in api.example.com:443."
    return { ok: false, code: "invalid-request", detail }
  }
  return { ok: true, target: { host, port } }
}
