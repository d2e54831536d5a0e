import { isLoopbackHost } from "@sealway/kernel"

const NAME = "sealway_session"

/**
 * Returns the name of the session cookie. With the prefix, browsers accept it only over HTTPS, from this host, for all
 * paths. On this machine without TLS it has no prefix. Null where cookies would cross a network unencrypted.
 *
 * @param origin of the pages that call the service
 */
export function sessionCookieName(origin: string): string | null {
  return cookieName(origin, NAME)
}

/** Returns the name of a cookie with the rules of the session's. */
export function cookieName(origin: string, name: string): string | null {
  const url = URL.parse(origin)
  if (url?.protocol === "https:") return `__Host-${name}`
  return url?.protocol === "http:" && isLoopbackHost(url.hostname) ? name : null
}

export interface CookieOptions {
  readonly maxAgeSeconds: number
  /** `Lax` only for what must survive a redirect from another site. */
  readonly sameSite: "Strict" | "Lax"
}

/** Writes a `Set-Cookie` header. @param name from `cookieName` */
export function setCookie(name: string, value: string, { maxAgeSeconds, sameSite }: CookieOptions): string {
  const secure = name.startsWith("__Host-") ? "; Secure" : ""
  return `${name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}${secure}`
}

/** Returns the value of a cookie; null when it is absent, and when it occurs twice, because one may be an attacker's. */
export function readCookie(cookies: readonly string[], name: string): string | null {
  const values = cookies
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1))
  return values.length === 1 ? (values[0] ?? null) : null
}
