import type { RequestHeaders } from "./authentication.ts"

/**
 * Where a request reached the service: `https://api.example.com`. What stands in front lets no request pass whose Host is
 * another's; API Gateway, and a proxy that ends TLS, tell so by `x-forwarded-proto`.
 */
export function serviceOriginOf({ host = "", "x-forwarded-proto": forwarded = "" }: RequestHeaders): string {
  const scheme = forwarded.split(",")[0]?.trim().toLowerCase() === "https" ? "https" : "http"
  return URL.parse(`${scheme}://${host}`)?.origin ?? `${scheme}://localhost`
}
