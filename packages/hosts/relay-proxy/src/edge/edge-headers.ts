/**
 * The headers in which CloudFront describes a request to an origin. The distribution sets the first, and the CloudFront
 * Function `viewer-request.js` the others. Each replaces a caller's header of the same name.
 */

/** The secret that only CloudFront and its origins know. Without it none of the others is trusted. */
export const ORIGIN_SECRET_HEADER = "x-relay-origin-secret"
/** The host that the caller requested. `Host` is the origin's own. */
export const VIEWER_HOST_HEADER = "x-forwarded-host"
/** The caller's address, without a port. */
export const VIEWER_IP_HEADER = "x-relay-viewer-ip"
/** Path and query, byte for byte as the caller sent them. */
export const VIEWER_TARGET_HEADER = "x-relay-target"

/**
 * Further headers that CloudFront and function URLs add for themselves. Callers' own headers of these names are removed
 * too.
 */
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

/** Whether a header, given in lower case, belongs to the edge and not to the destination. */
export function isEdgeHeader(name: string): boolean {
  return ADDED.has(name) || name.startsWith("cloudfront-")
}
