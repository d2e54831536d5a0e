import type { RequestHeaders } from "./sent-key.ts"

/**
 * Returns the origin by which a request reached the service: `https://api.example.com`, for deployments that are not
 * configured with one. The Host can be trusted: API Gateway finds the API by that name, and the local gateway refuses
 * names that it does not serve. API Gateway, and a proxy that ends TLS, add `x-forwarded-proto`.
 */
export function serviceOriginOf({ host = "", "x-forwarded-proto": forwarded = "" }: RequestHeaders): string {
  const scheme = forwarded.split(",")[0]?.trim().toLowerCase() === "https" ? "https" : "http"
  return URL.parse(`${scheme}://${host}`)?.origin ?? `${scheme}://localhost`
}
