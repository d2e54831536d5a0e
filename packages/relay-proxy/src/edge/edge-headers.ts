/**
 * The headers by which CloudFront tells an origin about a request. The first is set by the distribution, the others by
 * the CloudFront Function `viewer-request.js`; each takes the place of what a caller has sent by that name.
 */

/** The secret that only CloudFront and its origins know. Without it none of the others is believed. */
export const ORIGIN_SECRET_HEADER = "x-relay-origin-secret"
/** The host that the caller asked for; `Host` is the origin's own. */
export const VIEWER_HOST_HEADER = "x-forwarded-host"
/** The caller's address, without a port. */
export const VIEWER_IP_HEADER = "x-relay-viewer-ip"
/** Path and query, byte for byte as the caller sent them. */
export const VIEWER_TARGET_HEADER = "x-relay-target"

/** What CloudFront and function URLs add for their own sake, beside those; callers' own of these names go as well. */
const ADDED = new Set([
  ORIGIN_SECRET_HEADER,
  VIEWER_HOST_HEADER,
  VIEWER_IP_HEADER,
  VIEWER_TARGET_HEADER,
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-port",
  "x-amz-cf-id",
  "x-amzn-trace-id",
  "x-amzn-tls-version",
  "x-amzn-tls-cipher-suite",
])

/** Whether a header, by its name in lower case, is the edge's and not for the destination. */
export function isEdgeHeader(name: string): boolean {
  return ADDED.has(name) || name.startsWith("cloudfront-")
}
