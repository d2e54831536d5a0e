import { hash } from "node:crypto"
import { isIP } from "node:net"
import { clientAddress, equalInConstantTime } from "@sealway/kernel"
import type { HttpEvent } from "../http-event.ts"

/** Carries the secret that only CloudFront knows, in front of the dashboard. Functions know its hash. */
export const DASHBOARD_SECRET_HEADER = "x-dashboard-origin-secret"
/** Carries the browser's address, without a port. */
export const DASHBOARD_VIEWER_HEADER = "x-dashboard-viewer-ip"

/**
 * Returns the address of a request's sender. Through the dashboard's address, the peer is CloudFront, which says in a
 * header who called it. Without the secret, nobody's header is believed.
 *
 * @param originSecretHash SHA-256 of the secret, hex. Whoever reads it cannot send the secret, which is random. Null when
 * nothing is in front of the API
 */
export function callerAddress(
  { headers, requestContext }: HttpEvent,
  originSecretHash: string | null,
): string {
  const peer = clientAddress(requestContext.http.sourceIp)
  const secret = headers[DASHBOARD_SECRET_HEADER]
  const viewer = headers[DASHBOARD_VIEWER_HEADER]
  if (originSecretHash === null || secret === undefined || viewer === undefined) return peer
  const isBelieved =
    equalInConstantTime(hash("sha256", secret, "hex"), originSecretHash) && isIP(viewer) !== 0
  return isBelieved ? clientAddress(viewer) : peer
}
