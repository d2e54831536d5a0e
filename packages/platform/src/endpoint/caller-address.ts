import { isIP } from "node:net"
import { clientAddress, equalInConstantTime } from "@sealway/kernel"
import type { HttpEvent } from "../http-event.ts"

/** Carries the secret that only CloudFront, in front of the dashboard, and the functions know. */
export const DASHBOARD_SECRET_HEADER = "x-dashboard-origin-secret"
/** Carries the browser's address, without a port. */
export const DASHBOARD_VIEWER_HEADER = "x-dashboard-viewer-ip"

/**
 * Returns the address of a request's sender. Through the dashboard's address, the peer is CloudFront, which says in a
 * header who called it. Without the secret, nobody's header is believed.
 *
 * @param originSecret null when nothing is in front of the API
 */
export function callerAddress({ headers, requestContext }: HttpEvent, originSecret: string | null): string {
  const peer = clientAddress(requestContext.http.sourceIp)
  const secret = headers[DASHBOARD_SECRET_HEADER]
  const viewer = headers[DASHBOARD_VIEWER_HEADER]
  if (originSecret === null || secret === undefined || viewer === undefined) return peer
  const isBelieved = equalInConstantTime(secret, originSecret) && isIP(viewer) !== 0
  return isBelieved ? clientAddress(viewer) : peer
}
