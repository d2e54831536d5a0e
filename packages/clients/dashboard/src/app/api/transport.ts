import { createTransport, type Transport } from "@sealway/sdk/api"

export type { Transport }

/**
 * Creates what sends the page's requests. The browser adds the session's cookie; `X-Requested-With` shows that the page's
 * own code sends them, which changes need.
 *
 * @param appId the app that requests are about; null for those of the team
 */
export function createPageTransport(appId: string | null): Transport {
  return createTransport({
    baseUrl: location.origin + API_PATH,
    // The page was loaded from this origin.
    allowHttp: true,
    timeoutMs: 30_000,
    maxRetries: 1,
    authorization: () => null,
    fetch: (url, init) => {
      const headers = new Headers(init?.headers)
      headers.set("x-requested-with", "sealway")
      if (appId !== null) headers.set("x-service-app-id", appId)
      return fetch(url, { ...init, headers, credentials: "same-origin" })
    },
  })
}

/** For requests about the team. */
export const teamTransport = createPageTransport(null)

/**
 * Creates what sends requests with an API key that somebody has typed. The cookie stays away, and a refused key does not
 * mean that the session is over.
 *
 * @param apiKey is only in the closure of the transport
 */
export function createKeyTransport(appId: string, apiKey: string): Transport {
  return createTransport({
    baseUrl: location.origin + API_PATH,
    allowHttp: true,
    timeoutMs: 30_000,
    maxRetries: 1,
    authorization: () => `Basic ${btoa(`${appId}:${apiKey}`)}`,
    fetch: (url, init) => fetch(url, { ...init, credentials: "omit" }),
  })
}
