import type { Directory } from "@sealway/accounts"
import { isId } from "@sealway/kernel"
import type { RelayAuthority } from "../authority/relay-authority.ts"
import type { OutboundReply } from "../exchange.ts"
import { problemReply } from "../server/problem-reply.ts"

const ROOT_PATH = "/ca.pem"
const APP_PATH = /^\/apps\/([a-z0-9_]{1,64})\/ca\.pem$/

/**
 * Answers requests to the proxy itself (origin form, RFC 9112 section 3.2.1): the certificates that clients must trust,
 * without authentication, since they are public. `GET /ca.pem` is the deployment's root, which is enough for all
 * tunnels; `GET /apps/{app_id}/ca.pem` has the app's authority in front of it.
 */
export async function answerOriginForm(
  { method, target }: { readonly method: string; readonly target: string },
  {
    authority,
    directory,
  }: { readonly authority: RelayAuthority; readonly directory: Pick<Directory, "app"> },
): Promise<OutboundReply> {
  const [path = ""] = target.split("?", 1)
  const appId = APP_PATH.exec(path)?.[1]
  if (path !== ROOT_PATH && appId === undefined) return refusal("invalid-request", NOT_FOR_US)
  if (method !== "GET" && method !== "HEAD") {
    return refusal("invalid-request", "Use GET to read a certificate chain.")
  }
  if (appId === undefined) return chainReply(await authority.rootChain())
  const app = isId("app", appId) ? await directory.app(appId) : null
  if (app === null || app.status === "disabled") {
    return refusal("relay-not-found", "The app does not exist.")
  }
  return chainReply(await authority.appChain(app))
}

const NOT_FOR_US =
  "This is a forward proxy. Send CONNECT host:port for https, or the full URL (http://host/path) for http."

/** RFC 8555 section 9.1. */
const CHAIN_CONTENT_TYPE = "application/pem-certificate-chain"

function chainReply(pem: string): OutboundReply {
  return {
    status: 200,
    statusMessage: null,
    rawHeaders: [
      "Content-Type",
      CHAIN_CONTENT_TYPE,
      "Cache-Control",
      "no-cache",
      "X-Content-Type-Options",
      "nosniff",
    ],
    body: Buffer.from(pem),
    trailers: () => [],
  }
}

function refusal(code: "invalid-request" | "relay-not-found", detail: string): OutboundReply {
  return problemReply(code, detail, { mode: "forward" })
}
