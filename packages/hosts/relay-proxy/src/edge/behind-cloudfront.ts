import { isIP } from "node:net"
import { equalInConstantTime, headersWithout, headerValues, type RawHeaders } from "@sealway/kernel"
import type { InboundRequest, RelayHandler } from "../exchange.ts"
import { upgradeProblem } from "../server/admit-request.ts"
import { problemReply } from "../server/problem-reply.ts"
import { targetProblem } from "../server/request-authority.ts"
import {
  isEdgeHeader,
  ORIGIN_SECRET_HEADER,
  VIEWER_HOST_HEADER,
  VIEWER_IP_HEADER,
  VIEWER_TARGET_HEADER,
} from "./edge-headers.ts"

/** RFC 1035: 253 characters, the dot of the root, and a port. */
const MAX_HOST_LENGTH = 260

/**
 * Wraps a handler for use as an origin of CloudFront. Anyone who finds the origin's address can call it, so a request
 * must carry the origin secret before anything in it is trusted. Then host, client address and target are those from
 * CloudFront's headers, which are removed.
 *
 * A request without the secret, or with two values for it, is answered with `forbidden`.
 *
 * @param originSecret at least 32 characters
 * @throws Error when the secret is shorter
 */
export function behindCloudFront(handler: RelayHandler, originSecret: string): RelayHandler {
  if (originSecret.length < 32) throw new Error("The origin secret is shorter than 32 characters")
  return async (request) => {
    const secret = onlyValue(request.rawHeaders, ORIGIN_SECRET_HEADER)
    if (secret === null || !equalInConstantTime(secret, originSecret)) {
      return problemReply(
        "forbidden",
        "This address does not accept direct requests. Use the relay's domain.",
      )
    }
    const host = hostOf(request)
    if (host === null) {
      return problemReply("no-hostname-in-request", "The request does not name its host.")
    }
    const ip = onlyValue(request.rawHeaders, VIEWER_IP_HEADER) ?? ""
    // The socket's address is CloudFront's own: policies must not take it for the caller's.
    if (isIP(ip) === 0) {
      return problemReply("internal-server-error", "The request does not include its client's address.")
    }
    const rawHeaders = headersWithout(request.rawHeaders, isEdgeHeader)
    const target = targetOf(request)
    const refusal = request.refusal ?? targetProblem(target) ?? upgradeProblem(rawHeaders)
    const body = refusal === null ? request.body : null
    // Whatever the origin is reached with, viewers have used TLS: CloudFront refuses others.
    return handler({ ...request, scheme: "https", ...host, ip, target, rawHeaders, body, refusal })
  }
}

/** Returns null when CloudFront's header is not a valid host. */
function hostOf({ rawHeaders }: InboundRequest): Pick<InboundRequest, "host" | "port"> | null {
  const text = onlyValue(rawHeaders, VIEWER_HOST_HEADER) ?? ""
  if (text.length > MAX_HOST_LENGTH) return null
  const { name, port } = /^(?<name>[a-z0-9._-]+)(?::(?<port>\d{1,5}))?$/i.exec(text)?.groups ?? {}
  if (name === undefined) return null
  return { host: name.toLowerCase(), port: port === undefined ? null : Number(port) }
}

function targetOf({ rawHeaders, target }: InboundRequest): string {
  const exact = onlyValue(rawHeaders, VIEWER_TARGET_HEADER)
  return exact?.startsWith("/") === true ? exact : target
}

/** Returns null when there is none, or more than one. */
function onlyValue(rawHeaders: RawHeaders, name: string): string | null {
  const [value, ...others] = headerValues(rawHeaders, name)
  return value === undefined || others.length > 0 ? null : value
}
