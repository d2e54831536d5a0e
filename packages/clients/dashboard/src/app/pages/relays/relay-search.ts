/** The tabs of a relay's page. Without one in the address: `routes`. */
export const TABS = ["routes", "activity", "alerts", "domains", "settings"] as const
export type Tab = (typeof TABS)[number]

export const STATUS_CLASSES = ["2XX", "3XX", "4XX", "5XX"] as const
type StatusClass = (typeof STATUS_CLASSES)[number]

/** The errors that a relay may return, as the list of activity filters by them. */
export const RELAY_ERRORS = [
  "bad-request",
  "content-length-required",
  "decrypt/forbidden",
  "encrypt/pre-encrypted-data",
  "forbidden",
  "http-connect-not-allowed",
  "internal-server-error",
  "invalid-content-type",
  "invalid-request",
  "no-hostname-in-request",
  "payload-too-large",
  "proxy-auth-failed",
  "proxy-authentication-required",
  "proxy-error",
  "relay-not-found",
  "request-timeout",
  "service-unavailable",
  "subdomain-not-found",
  "unsupported-content-type-in-response",
  "upgrade-not-supported",
] as const
type RelayError = (typeof RELAY_ERRORS)[number]

/** What a relay's page has in its address: the tab, and the filters of its activity. */
export interface RelaySearch {
  readonly tab?: Tab
  readonly status?: StatusClass
  readonly error?: RelayError
}

/** Reads an address. What it does not know is left out. */
export function readRelaySearch(search: Readonly<Record<string, unknown>>): RelaySearch {
  const tab = TABS.find((each) => each === search.tab)
  const status = STATUS_CLASSES.find((each) => each === search.status)
  const error = RELAY_ERRORS.find((each) => each === search.error)
  return { ...(tab && { tab }), ...(status && { status }), ...(error && { error }) }
}
