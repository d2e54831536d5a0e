// A CloudFront Function (runtime cloudfront-js-2.0) for the event "viewer request" of the API below /api. The API knows
// its paths without that prefix. A header that this sets replaces the caller's of the same name.
const PREFIX = "/api"

// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it by this name.
function handler(event) {
  const request = event.request
  // CloudFront chooses by the path without dot segments, but passes it on with them.
  if (!request.uri.startsWith(`${PREFIX}/`)) {
    return {
      statusCode: 404,
      statusDescription: "Not Found",
      headers: { "content-type": { value: "text/plain" }, "cache-control": { value: "no-store" } },
      body: { encoding: "text", data: "There is nothing here. The API is at /api.\n" },
    }
  }
  request.uri = request.uri.slice(PREFIX.length)
  request.headers["x-dashboard-viewer-ip"] = { value: event.viewer.ip }
  return request
}
