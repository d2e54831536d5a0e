import cf from "cloudfront"

// A CloudFront Function (runtime cloudfront-js-2.0) for the event "viewer request". It sees no body, and headers only
// through `event`. Headers that it sets replace the caller's of the same name. The names are those in edge-headers.ts.
// Synchronous Lambda calls are limited to 6 MB, with the body in base64: 4 MiB and the headers fit.
const MAX_FUNCTION_BODY_BYTES = 4194304
const CONTAINER_ORIGIN = "container"

// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it by this name.
function handler(event) {
  const request = event.request
  const headers = request.headers
  const query = request.rawQueryString()
  headers["x-forwarded-host"] = { value: headers.host === undefined ? "" : headers.host.value }
  headers["x-relay-viewer-ip"] = { value: event.viewer.ip }
  // Byte for byte: the query is reassembled on the way to an origin, and function URLs may decode a path.
  headers["x-relay-target"] = { value: query === undefined ? request.uri : `${request.uri}?${query}` }
  if (isForContainer(request.method, headers)) cf.selectRequestOriginById(CONTAINER_ORIGIN)
  return request
}

/** Whether the body may exceed Lambda's limit. Without a length that only becomes known when it is too late. */
function isForContainer(method, headers) {
  const type = headers["content-type"]
  if (type !== undefined && /^\s*multipart\//i.test(type.value)) return true
  if (headers["transfer-encoding"] !== undefined) return true
  const length = headers["content-length"]
  if (length === undefined) return method === "POST" || method === "PUT" || method === "PATCH"
  return !/^\d{1,7}$/.test(length.value) || Number(length.value) > MAX_FUNCTION_BODY_BYTES
}
