import { hostOf } from "@sealway/relay"
import { RelayError } from "@sealway/relay-engine"
import type { ConnectionContext } from "./connection-context.ts"

export interface RequestAuthority {
  /** Whether the request is for the forward proxy itself: it only has a path, and came through no tunnel. */
  readonly isForProxy: boolean
  /** In lower case, without brackets, port and final dot. */
  readonly host: string
  /** Null when none is given. */
  readonly port: number | null
  /** Path and query, byte for byte. */
  readonly target: string
}

/** RFC 9112 section 3.2.2. Neither credentials nor anything else may precede the host. */
const ABSOLUTE_FORM = /^(https?):\/\/([^/?]*)(.*)$/i
/** DNS names, with underscores, which many private networks use; IPv4; IPv6 in brackets. */
const HOST_AND_PORT =
  /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?)\.?)(?::([0-9]{0,5}))?$/i
/** Anything outside a URI's characters, fragments included, is read differently by different software. */
const NOT_IN_TARGETS = /[^!-~]|#/

/**
 * Determines the host of a request. In a tunnel it is the tunnel's, in absolute form the target's (RFC 9112 section
 * 3.2.2: `Host` is then ignored), and otherwise that of `Host`.
 *
 * @throws RelayError `bad-request`, and `invalid-request` when a forward proxy gets no host, or a different one than
 * its tunnel's
 */
export function findRequestAuthority(
  target: string,
  hosts: readonly string[],
  httpVersion: string,
  { mode, tunnel }: Pick<ConnectionContext, "mode" | "tunnel">,
): RequestAuthority {
  const code = mode === "forward" ? "invalid-request" : "bad-request"
  const problem = targetProblem(target)
  if (problem !== null) throw problem
  // RFC 9112 section 3.2: there must be exactly one.
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === "1.1")) {
    throw new RelayError("bad-request", "The request must have exactly one Host header.")
  }
  const isPath = target.startsWith("/")
  const absolute = isPath ? null : ABSOLUTE_FORM.exec(target)
  if (absolute === null && !isPath) {
    throw new RelayError("bad-request", "The request's target is not a path.")
  }
  const [, scheme = "", named = hosts[0] ?? "", rest = target] = absolute ?? []
  if (scheme.toLowerCase() === "https" && mode === "forward") {
    throw new RelayError(code, "For https:// targets, use CONNECT.")
  }
  const authority = parseAuthority(named)
  if (authority === null) throw new RelayError(code, "The request has no valid host.")
  const path = rest.startsWith("/") ? rest : `/${rest}`
  if (tunnel !== null) {
    const isTunnels = authority.host === tunnel.host && (authority.port ?? tunnel.port) === tunnel.port
    if (!isTunnels) throw new RelayError(code, "The request's host is not the host of the tunnel.")
    return { isForProxy: false, host: tunnel.host, port: tunnel.port, target: path }
  }
  if (mode === "reverse") return { isForProxy: false, ...authority, target: path }
  return { isForProxy: absolute === null, host: authority.host, port: authority.port ?? 80, target: path }
}

/** Checks a target, wherever it comes from. */
export function targetProblem(target: string): RelayError | null {
  if (!NOT_IN_TARGETS.test(target)) return null
  return new RelayError(
    "bad-request",
    "The request's target contains characters that are not allowed in a URL.",
  )
}

/** Parses a host with an optional port, in lower case; null when it is invalid. */
function parseAuthority(text: string): { readonly host: string; readonly port: number | null } | null {
  const [matched, address, name, portText = ""] = HOST_AND_PORT.exec(text) ?? []
  if (matched === undefined) return null
  // IPv6 has many spellings of one address.
  const host = address === undefined ? name?.toLowerCase() : hostOf(`[${address}]`)
  if (host === undefined || host === null) return null
  const port = portText === "" ? null : Number(portText)
  if (port !== null && (port === 0 || port > 65_535)) return null
  return { host, port }
}
