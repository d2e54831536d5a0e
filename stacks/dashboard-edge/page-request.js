// A CloudFront Function (runtime cloudfront-js-2.0) for the event "viewer request" of everything but the API. The page
// itself knows which of its addresses exist, so each of them is answered with the page.
const PAGE = "/dashboard/index.html"
const ASSETS = "/dashboard/assets/"

// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it by this name.
function handler(event) {
  const request = event.request
  const uri = request.uri
  if (uri === "/" || uri === "/dashboard/") {
    return {
      statusCode: 302,
      statusDescription: "Found",
      headers: { location: { value: "/dashboard" }, "cache-control": { value: "no-store" } },
    }
  }
  if (uri.startsWith(ASSETS)) return request
  if (uri === "/dashboard" || uri.startsWith("/dashboard/")) {
    request.uri = PAGE
    return request
  }
  return {
    statusCode: 404,
    statusDescription: "Not Found",
    headers: { "content-type": { value: "text/plain" }, "cache-control": { value: "no-store" } },
    body: {
      encoding: "text",
      data: "There is nothing here. The dashboard is at /dashboard, the API at /api.\n",
    },
  }
}
