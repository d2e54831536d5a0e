/** The tabs of the payments' page. Without one in the address: `cards`. */
export const TABS = [
  "cards",
  "network-tokens",
  "sessions",
  "merchants",
  "acquirers",
  "alerts",
  "bin-tables",
] as const
export type Tab = (typeof TABS)[number]

export const CARD_STATUSES = ["active", "replaced", "closed", "invalid"] as const
export const TOKEN_STATUSES = [
  "provisioning",
  "active",
  "inactive",
  "suspended",
  "blocked",
  "expired",
  "deleted",
] as const
export const SESSION_STATUSES = ["action-required", "success", "failure"] as const
export const ALERT_STATUSES = ["open", "resolved", "expired"] as const
export const ALERT_NETWORKS = ["ethoca", "verifi"] as const

const STATUSES: Readonly<Record<Tab, readonly string[]>> = {
  cards: CARD_STATUSES,
  "network-tokens": TOKEN_STATUSES,
  sessions: SESSION_STATUSES,
  merchants: [],
  acquirers: [],
  alerts: ALERT_STATUSES,
  "bin-tables": [],
}

/** What the payments' page has in its address: the tab, and the filters of its list. */
export interface PaymentsSearch {
  readonly tab?: Exclude<Tab, "cards">
  readonly status?: string
  /** Four digits. */
  readonly lastFour?: string
  readonly network?: (typeof ALERT_NETWORKS)[number]
  /** Part of a merchant's name. */
  readonly name?: string
}

/** Reads an address. What it does not know, or does not belong to the tab, is left out. */
export function readPaymentsSearch(search: Readonly<Record<string, unknown>>): PaymentsSearch {
  const tab = TABS.find((each) => each === search.tab) ?? "cards"
  const status = STATUSES[tab].find((each) => each === search.status)
  const lastFour = tab === "cards" || tab === "network-tokens" ? String(search.lastFour ?? "") : ""
  const network = tab === "alerts" ? ALERT_NETWORKS.find((each) => each === search.network) : undefined
  const name = tab === "merchants" && typeof search.name === "string" ? search.name.slice(0, 60) : ""
  return {
    ...(tab !== "cards" && { tab }),
    ...(status && { status }),
    ...(/^[0-9]{4}$/.test(lastFour) && { lastFour }),
    ...(network && { network }),
    ...(name && { name }),
  }
}
