/** The events that can be named, by the areas that send them. */
export const EVENT_TYPES = [
  "audit-log.event",
  "function.deployment.finished",
  "function.deployment.started",
  "function.deployment.updated",
  "function.run.completed",
  "honey-token.touched",
  "payments.3ds-session.failure",
  "payments.3ds-session.success",
  "payments.account-updater.updated",
  "payments.acquirer.updated",
  "payments.card.updated",
  "payments.intelligent-retries.signal",
  "payments.merchant.updated",
  "payments.network-token.updated",
  "payments.pre-chargeback-alert.created",
  "payments.pre-chargeback-alert.reminder",
  "payments.pre-chargeback-alert.updated",
  "relay.error",
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export const EVENT_STATUSES = ["pending", "delivered", "failed"] as const

/** What the page of webhooks has in its address: the filters of its events. */
export interface WebhookSearch {
  readonly status?: (typeof EVENT_STATUSES)[number]
  readonly type?: EventType
}

/** Reads an address. What it does not know is left out. */
export function readWebhookSearch(search: Readonly<Record<string, unknown>>): WebhookSearch {
  const status = EVENT_STATUSES.find((each) => each === search.status)
  const type = EVENT_TYPES.find((each) => each === search.type)
  return { ...(status && { status }), ...(type && { type }) }
}
