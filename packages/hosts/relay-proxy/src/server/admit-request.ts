import { isOnlyChunked } from "@sealway/http/ingress"
import { eachHeader, headerOf, type RawHeaders } from "@sealway/kernel"
import { InvalidContentTypeError, parseContentType, RelayError } from "@sealway/relay-engine"
import type { RelayLimits } from "../limits.ts"
import type { ConnectionContext } from "./connection-context.ts"
import { findRequestAuthority, type RequestAuthority } from "./request-authority.ts"

export interface RequestHead {
  readonly method: string
  /** As it was sent. */
  readonly target: string
  /** `1.1` */
  readonly httpVersion: string
  readonly rawHeaders: RawHeaders
}

/** What is known about a request before its body arrives. */
export interface AdmittedRequest extends RequestAuthority {
  readonly body: "none" | "sized" | "chunked"
  /** The size of a sized body. */
  readonly contentLength: number | null
  /** Why it is refused, though its host is known. */
  readonly refusal: RelayError | null
}

/** What a request line and a header line have in addition to method, target, name and value. */
const LINE_EXTRA_BYTES = " HTTP/1.1\r\n".length + 1
const HEADER_EXTRA_BYTES = ": \r\n".length

/** What the headers say about framing and host. */
interface Framing {
  /** The size of all headers, written with one space before the value. */
  readonly bytes: number
  readonly hosts: readonly string[]
  readonly contentLength: string | null
  readonly transferEncodings: readonly string[]
  readonly contentTypes: readonly string[]
  readonly maxForwards: string | null
  /** Whether it may ask for another protocol: see `upgradeProblem`. */
  readonly mayUpgrade: boolean
}

/** Methods whose body has a meaning: one without a size is an error (RFC 9110 section 8.6). */
const EXPECT_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"])

/**
 * Decides from its head alone whether a request is accepted. The HTTP parser has already refused what is ambiguous in
 * itself: two lengths, a length with chunks, folded headers, bare line feeds. A refusal is `bad-request`,
 * `content-length-required`, `payload-too-large`, `invalid-content-type` or `upgrade-not-supported`.
 *
 * @throws RelayError `bad-request` or `invalid-request` when the host cannot be determined
 */
export function admitRequest(
  head: RequestHead,
  context: Pick<ConnectionContext, "mode" | "tunnel">,
  limits: Pick<RelayLimits, "maxHeaderBytes" | "maxHeaders" | "maxBodyBytes" | "maxMultipartBytes">,
): AdmittedRequest {
  const { httpVersion, rawHeaders } = head
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    throw new RelayError("bad-request", "The HTTP version must be 1.1 or 1.0.")
  }
  if (rawHeaders.length > 2 * limits.maxHeaders) {
    throw new RelayError("bad-request", `The request has more than ${limits.maxHeaders} headers.`)
  }
  const framing = readFraming(rawHeaders)
  // The parser only counts names and values, so it accepts a little more.
  if (LINE_EXTRA_BYTES + head.method.length + head.target.length + framing.bytes > limits.maxHeaderBytes) {
    throw new RelayError("bad-request", "The request line and headers are too large.")
  }
  const authority = findRequestAuthority(head.target, framing.hosts, httpVersion, context)
  try {
    return { ...authority, ...admitContent(head, framing, limits), refusal: null }
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    return { ...authority, body: "none", contentLength: null, refusal: error }
  }
}

/** @throws RelayError */
function admitContent(
  { method, httpVersion, rawHeaders }: RequestHead,
  framing: Framing,
  limits: Pick<RelayLimits, "maxBodyBytes" | "maxMultipartBytes">,
): Pick<AdmittedRequest, "body" | "contentLength"> {
  if (method === "TRACE") throw new RelayError("bad-request", "TRACE is not supported.")
  if (method === "OPTIONS" && framing.maxForwards === "0") {
    throw new RelayError("bad-request", "Max-Forwards does not allow this request to be forwarded.")
  }
  // In HTTP/1.0 it means nothing (RFC 9110 section 7.8).
  const upgrade = httpVersion === "1.0" || !framing.mayUpgrade ? null : upgradeProblem(rawHeaders)
  if (upgrade !== null) throw upgrade
  const isMultipart = checkContentType(framing.contentTypes)
  return findBody(method, httpVersion, framing, isMultipart, limits)
}

/**
 * HTTP/2 and nothing else. The JDK's client offers it in every first request to an `http://` address, and goes on in HTTP/1.1
 * where the offer is ignored (RFC 9110 section 7.8): it is not forwarded.
 */
const ONLY_HTTP2 = /^h2c(?:[ \t]*,[ \t]*h2c)*$/i

/** Refuses to change the protocol: what follows could not be read, and a destination would not be asked for it. */
export function upgradeProblem(rawHeaders: RawHeaders): RelayError | null {
  const upgrade = headerOf(rawHeaders, "upgrade")
  const isIgnored = upgrade === undefined || ONLY_HTTP2.test(upgrade)
  // The key is left of a WebSocket's handshake where a proxy in front has removed what belongs to one hop.
  if (isIgnored && headerOf(rawHeaders, "sec-websocket-key") === undefined) return null
  return new RelayError(
    "upgrade-not-supported",
    "Relays speak HTTP/1.1 only. Send the request without Upgrade, and no WebSocket.",
  )
}

function readFraming(rawHeaders: RawHeaders): Framing {
  const hosts: string[] = []
  const transferEncodings: string[] = []
  const contentTypes: string[] = []
  let contentLength: string | null = null
  let maxForwards: string | null = null
  let mayUpgrade = false
  let bytes = 0
  eachHeader(rawHeaders, (name, value) => {
    bytes += name.length + value.length + HEADER_EXTRA_BYTES
    // Most names already differ in their length.
    switch (name.length) {
      case 4:
        if (name.toLowerCase() === "host") hosts.push(value)
        break
      case 7:
        if (name.toLowerCase() === "upgrade") mayUpgrade = true
        break
      case 12:
        if (name.toLowerCase() === "content-type") contentTypes.push(value)
        else if (name.toLowerCase() === "max-forwards") maxForwards = value
        break
      case 14:
        if (name.toLowerCase() === "content-length") contentLength = value
        break
      case 17:
        if (name.toLowerCase() === "transfer-encoding") transferEncodings.push(value)
        else if (name.toLowerCase() === "sec-websocket-key") mayUpgrade = true
        break
    }
  })
  return { bytes, hosts, contentLength, transferEncodings, contentTypes, maxForwards, mayUpgrade }
}

/** Returns true for `multipart/form-data`. */
function checkContentType(values: readonly string[]): boolean {
  const [value] = values
  if (value === undefined || (values.length === 1 && value === "application/json")) return false
  try {
    return parseContentType(values.join(", "))?.type === "multipart/form-data"
  } catch (cause) {
    if (!(cause instanceof InvalidContentTypeError)) throw cause
    throw new RelayError("invalid-content-type", "The Content-Type header is malformed.", { cause })
  }
}

function findBody(
  method: string,
  httpVersion: string,
  { contentLength, transferEncodings }: Framing,
  isMultipart: boolean,
  { maxBodyBytes, maxMultipartBytes }: Pick<RelayLimits, "maxBodyBytes" | "maxMultipartBytes">,
): Pick<AdmittedRequest, "body" | "contentLength"> {
  if (transferEncodings.length > 0) {
    if (contentLength !== null || !isOnlyChunked(httpVersion, transferEncodings.join(","))) {
      throw new RelayError("bad-request", "The request's Transfer-Encoding must be chunked only.")
    }
    return { body: "chunked", contentLength: null }
  }
  if (contentLength === null) {
    if (!EXPECT_BODY.has(method)) return { body: "none", contentLength: null }
    throw new RelayError("content-length-required", "The request has no Content-Length header.")
  }
  if (!/^[0-9]+$/.test(contentLength)) throw lengthNotNumeric()
  const bytes = Number(contentLength)
  const maxBytes = isMultipart ? maxMultipartBytes : maxBodyBytes
  if (bytes > maxBytes) {
    throw new RelayError("payload-too-large", `The request body is larger than ${maxBytes} bytes.`)
  }
  return { body: bytes === 0 ? "none" : "sized", contentLength: bytes }
}

/** Refuses a `Content-Length` that is not a number. The HTTP parser catches most of them first. */
export function lengthNotNumeric(): RelayError {
  return new RelayError("content-length-required", "The Content-Length header is not a number.")
}
