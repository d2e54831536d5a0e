import { hostOf } from "@sealway/relay"
import { RelayError } from "@sealway/relay-engine"
import type { ConnectionContext } from "./connection-context.ts"

export interface RequestAuthority {
  /** Whether the request is for the forward proxy itself: it names a path alone, and came by no tunnel. */
  readonly isForProxy: boolean
  /** Lower case, without brackets, port and final dot. */
  readonly host: string
  /** Null where none is named. */
  readonly port: number | null
  /** Path and query, byte for byte. */
  readonly target: string
}

/** RFC 9112 section 3.2.2. Neither credentials nor anything else stands in front of the host. */
const ABSOLUTE_FORM = /^(https?):\/\/([^/?]*)(.*)$/i
/** Names as DNS has them, with underscores, which many a private network uses; IPv4; IPv6 in brackets. */
const HOST_AND_PORT =
  /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?)\.?)(?::([0-9]{0,5}))?$/i
/** What a URI is made of, without fragments: anything else means something different to each who reads it. */
const NOT_IN_TARGETS = /[^!-~]|#/

/**
 * Whom a request is for. That is the tunnel's host in a tunnel, the target's in absolute form (RFC 9112 section 3.2.2:
 * `Host` then says nothing), and otherwise the one that `Host` names.
 *
 * @throws RelayError `bad-request`, and `invalid-request` where a forward proxy is told no host, or another than its
 * tunnel's
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
  // RFC 9112 section 3.2: there must be one, and not two.
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === "1.1")) {
    throw new RelayError("bad-request", "The request is to have one Host header.")
  }
  const isPath = target.startsWith("/")
  const absolute = isPath ? null : ABSOLUTE_FORM.exec(target)
  if (absolute === null && !isPath) {
    throw new RelayError("bad-request", "The request's target is not a path.")
  }
  const [, scheme = "", named = hosts[0] ?? "", rest = target] = absolute ?? []
  if (scheme.toLowerCase() === "https" && mode === "forward") {
    throw new RelayError(code, "A forward proxy takes https:// targets through CONNECT only.")
  }
  const authority = parseAuthority(named)
  if (authority === null) throw new RelayError(code, "The request names no valid host.")
  const path = rest.startsWith("/") ? rest : `/${rest}`
  if (tunnel !== null) {
    const isTunnels = authority.host === tunnel.host && (authority.port ?? tunnel.port) === tunnel.port
    if (!isTunnels) throw new RelayError(code, "The request names another host than the tunnel is for.")
    return { isForProxy: false, host: tunnel.host, port: tunnel.port, target: path }
  }
  if (mode === "reverse") return { isForProxy: false, ...authority, target: path }
  return { isForProxy: absolute === null, host: authority.host, port: authority.port ?? 80, target: path }
}

/** What is wrong with a target, wherever it was told. */
export function targetProblem(target: string): RelayError | null {
  if (!NOT_IN_TARGETS.test(target)) return null
  return new RelayError("bad-request", "The request's target holds characters that no URL has.")
}

/** A host, with a port where there is one, in lower case; null when it is none. */
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
