import { extname } from "node:path"

/**
 * The Content-Security-Policy of the dashboard: everything is of its own origin, and no script or style is in the page.
 * Its forms are never sent by the browser itself.
 */
export const DASHBOARD_SECURITY_POLICY = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join("; ")

/** Headers of each of the dashboard's files, besides the Content-Security-Policy of its page. */
export const DASHBOARD_HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const

/** The page names the assets of its version: browsers ask each time whether there is another one. */
export const PAGE_CACHE_CONTROL = "no-cache"
/** The name of an asset contains the hash of its content. */
export const ASSET_CACHE_CONTROL = "public, max-age=31536000, immutable"

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".woff2", "font/woff2"],
  [".wasm", "application/wasm"],
])

/** Returns the `Content-Type` of one of the dashboard's files. */
export function dashboardContentType(path: string): string {
  return CONTENT_TYPES.get(extname(path)) ?? "application/octet-stream"
}
