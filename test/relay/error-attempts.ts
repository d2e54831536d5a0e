import { KB, type RelayErrorCode } from "@sealway/kernel"
import { expect } from "vitest"
import { basic } from "../support/service.ts"
import type { ErrorWorld } from "./error-world.ts"

export const CARD = "4000056655665556"
/** Is in everything that is sent, and in no answer. */
export const MARKER = "marker-7f3a"

/** Builds the head of a request, with the marker wherever there is room for it. */
const head = (method: string, path: string, host: string, headers: readonly string[] = []) =>
  `${[
    `${method} ${path}?${MARKER}=${CARD} HTTP/1.1`,
    ...[`Host: ${host}`, `X-Marker: ${MARKER}`, `Cookie: ${MARKER}=${CARD}`],
    ...headers,
  ].join("\r\n")}\r\n`

const post = (path: string, host: string, body: string, headers: readonly string[] = []) =>
  `${head("POST", path, host, [
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ])}\r\n${body}`

const connectTo = (target: string, headers: readonly string[] = []) =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nX-Marker: ${MARKER}\r\n${headers.map((each) => `${each}\r\n`).join("")}\r\n`

const BODY = JSON.stringify({ card: CARD, other: MARKER })
/** Looks like an API key. */
export const WRONG_KEY = `swk_sandbox_${"a".repeat(43)}_aaaaaa`

/** Bytes that a relay refuses. */
export interface Attempt {
  readonly code: RelayErrorCode
  readonly when: string
  /** Which of the service's listeners the bytes are sent to. Default: `relay`. */
  readonly to?: "relay" | "proxy"
  readonly bytes: (given: ErrorWorld) => string
  /** Default: the code's own. */
  readonly status?: number
  /** Headers that an answer of this kind also has. */
  readonly headers?: Readonly<Record<string, string>>
}

const KEY_CHALLENGE = { "www-authenticate": 'ApiKey realm="Relay"' }
const CHALLENGE = { "proxy-authenticate": 'Basic realm="Relay", charset="UTF-8"' }
const withKey = (key: string, appId: string) => [`X-Service-Api-Key: ${key}`, `X-Service-App-Id: ${appId}`]
const proxyHeader = (value: string) => `Proxy-Authorization: ${value}`

export const ATTEMPTS: readonly Attempt[] = [
  {
    code: "subdomain-not-found",
    when: "the subdomain belongs to no relay",
    bytes: ({ appId }) => post("/a", `${MARKER}.${appId.replace("_", "-")}.relay.localhost`, BODY),
  },
  {
    code: "relay-not-found",
    when: "the domain belongs to no relay",
    bytes: () => post("/a", `${MARKER}.example`, BODY),
  },
  {
    code: "relay-not-found",
    when: "a tunnel is asked for to a host that is no relay's",
    to: "proxy",
    bytes: ({ proxyAuthorization }) => connectTo(`${MARKER}.example:443`, [proxyHeader(proxyAuthorization)]),
  },
  {
    code: "relay-not-found",
    when: "the forward proxy is asked for a host that is no relay's",
    to: "proxy",
    bytes: ({ proxyAuthorization }) =>
      post(`http://${MARKER}.example/a`, "x", BODY, [proxyHeader(proxyAuthorization)]),
  },
  {
    code: "request-timeout",
    when: "the destination does not answer within 120 seconds",
    bytes: ({ domain }) => post("/silent", domain, BODY),
  },
  {
    code: "service-unavailable",
    when: "the destination refuses the connection",
    bytes: ({ deadDomain }) => post("/a", deadDomain, BODY),
  },
  {
    code: "unsupported-content-type-in-response",
    when: "an answer that is to be encrypted is HTML",
    bytes: ({ domain }) => post("/html", domain, BODY),
  },
  {
    code: "proxy-auth-failed",
    when: "the API key is none",
    bytes: ({ closedDomain, appId }) => post("/a", closedDomain, BODY, withKey(WRONG_KEY, appId)),
    headers: KEY_CHALLENGE,
  },
  {
    code: "proxy-auth-failed",
    when: "the API key is another app's",
    bytes: ({ closedDomain, foreign }) => post("/a", closedDomain, BODY, withKey(foreign.key, foreign.user)),
    headers: KEY_CHALLENGE,
  },
  {
    code: "proxy-auth-failed",
    when: "a tunnel is asked for with a key that is none",
    to: "proxy",
    bytes: ({ appId }) =>
      connectTo(`${MARKER}.example:443`, [proxyHeader(basic({ user: appId, key: WRONG_KEY }))]),
    status: 407,
    headers: CHALLENGE,
  },
  {
    code: "too-many-requests",
    when: "the API key has no value left",
    bytes: ({ domain, exhaustedKey, appId }) => post("/encrypt", domain, BODY, withKey(exhaustedKey, appId)),
    headers: { "retry-after": expect.stringMatching(/^[0-9]{3}$/) },
  },
  {
    code: "proxy-authentication-required",
    when: "the relay asks for an API key, and there is none",
    bytes: ({ closedDomain }) => post("/a", closedDomain, BODY),
    headers: KEY_CHALLENGE,
  },
  {
    code: "proxy-authentication-required",
    when: "the app's id is missing",
    bytes: ({ closedDomain, key }) => post("/a", closedDomain, BODY, [`X-Service-Api-Key: ${key}`]),
    headers: KEY_CHALLENGE,
  },
  {
    code: "proxy-authentication-required",
    when: "a tunnel is asked for without credentials",
    to: "proxy",
    bytes: () => connectTo(`${MARKER}.example:443`),
    status: 407,
    headers: CHALLENGE,
  },
  {
    code: "proxy-authentication-required",
    when: "the forward proxy is sent a request without credentials",
    to: "proxy",
    bytes: ({ destinationDomain }) => post(`${destinationDomain}/a`, "x", BODY),
    status: 407,
    headers: CHALLENGE,
  },
  {
    code: "upgrade-not-supported",
    when: "a WebSocket is asked for",
    bytes: ({ domain }) =>
      `${head("GET", "/a", domain, ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"])}\r\n`,
  },
  {
    code: "upgrade-not-supported",
    when: "a request offers TLS, through the forward proxy",
    to: "proxy",
    bytes: ({ destinationDomain, proxyAuthorization }) =>
      post(`${destinationDomain}/a`, "x", BODY, [
        proxyHeader(proxyAuthorization),
        "Connection: Upgrade",
        "Upgrade: TLS/1.2",
      ]),
  },
  {
    code: "content-length-required",
    when: "there is no length",
    bytes: ({ domain }) => `${head("POST", "/a", domain)}\r\n`,
  },
  {
    code: "content-length-required",
    when: "the length is no number",
    bytes: ({ domain }) => `${head("POST", "/a", domain, [`Content-Length: ${MARKER}`])}\r\n`,
  },
  {
    code: "invalid-request",
    when: "a tunnel is asked for to a host that can be none",
    to: "proxy",
    bytes: ({ proxyAuthorization }) => connectTo(`${MARKER}*:443`, [proxyHeader(proxyAuthorization)]),
  },
  {
    code: "no-hostname-in-request",
    when: "a tunnel is asked for to a port alone",
    to: "proxy",
    bytes: ({ proxyAuthorization }) => connectTo(":443", [proxyHeader(proxyAuthorization)]),
  },
  {
    code: "http-connect-not-allowed",
    when: "CONNECT is sent to a relay's domain",
    bytes: ({ domain }) => connectTo(`${domain}:443`),
    headers: { allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" },
  },
  {
    code: "forbidden",
    when: "the API key lacks the scope to decrypt",
    bytes: ({ closedDomain, appId, scopelessKey, token }) =>
      post("/decrypt", closedDomain, JSON.stringify({ [MARKER]: token }), withKey(scopelessKey, appId)),
  },
  {
    code: "payload-too-large",
    when: "the length is a byte more than 5 MB",
    bytes: ({ domain }) => `${head("POST", "/a", domain, ["Content-Length: 5242881"])}\r\n${BODY}`,
  },
  {
    code: "payload-too-large",
    when: "the chunks are larger than 700 KB",
    bytes: ({ domain }) =>
      `${head("POST", "/encrypt", domain, ["Content-Type: application/json", "Transfer-Encoding: chunked"])}\r\n` +
      `${(700 * KB + 1).toString(16)}\r\n${MARKER.padEnd(700 * KB + 1)}\r\n0\r\n\r\n`,
  },
  {
    code: "invalid-content-type",
    when: "the Content-Type is malformed",
    bytes: ({ domain }) =>
      `${head("POST", "/a", domain, [`Content-Type: ${MARKER}`, "Content-Length: 2"])}\r\n{}`,
  },
  {
    code: "invalid-content-type",
    when: "the charset of a body that is to be encrypted is not known",
    bytes: ({ domain }) =>
      `${head("POST", "/encrypt", domain, [`Content-Type: application/json; charset=${MARKER}`, "Content-Length: 2"])}\r\n{}`,
  },
  {
    code: "decrypt/forbidden",
    when: "no policy permits a value",
    bytes: ({ domain, token, lockedToken }) =>
      post("/decrypt", domain, JSON.stringify({ [MARKER]: [token, lockedToken] })),
  },
  {
    code: "encrypt/pre-encrypted-data",
    when: "a token is in a field that is not selected",
    bytes: ({ domain, token }) => post("/encrypt", domain, JSON.stringify({ card: CARD, [MARKER]: token })),
  },
  {
    code: "encrypt/pre-encrypted-data",
    when: "a token is in a header",
    bytes: ({ domain, token }) => post("/encrypt", domain, BODY, [`X-Token: ${token}`]),
  },
  {
    code: "encrypt/pre-encrypted-data",
    when: "a token is in the target",
    bytes: ({ domain, token }) => post(`/encrypt?${encodeURIComponent(token)}`, domain, BODY),
  },
  {
    code: "proxy-error",
    when: "the destination hangs up",
    bytes: ({ domain }) => post("/broken", domain, BODY),
  },
  {
    code: "bad-request",
    when: "a body that is to be encrypted is not what its type says",
    bytes: ({ domain }) => post("/encrypt", domain, `{"card": "${CARD}", ${MARKER}`),
  },
  {
    code: "bad-request",
    when: "such a body comes through the forward proxy",
    to: "proxy",
    bytes: ({ destinationDomain, proxyAuthorization }) =>
      post(`${destinationDomain}/encrypt`, "x", MARKER, [proxyHeader(proxyAuthorization)]),
  },
  {
    code: "bad-request",
    when: "a token cannot be decrypted",
    bytes: ({ domain, token }) =>
      post(
        "/decrypt",
        domain,
        JSON.stringify({ [MARKER]: token.replace(/.:\$$/, token.endsWith("A:$") ? "B:$" : "A:$") }),
      ),
  },
  { code: "bad-request", when: "it is not HTTP", bytes: () => `${MARKER} ${CARD}\r\n\r\n` },
  {
    code: "internal-server-error",
    when: "the data role of a selection is no longer there",
    bytes: ({ domain }) => post("/archived", domain, BODY),
  },
]
