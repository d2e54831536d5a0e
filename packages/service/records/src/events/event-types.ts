/** The events that the service publishes, and that a webhook endpoint can subscribe to by name. */
export const NAMED_EVENTS = [
  "function.run.completed",
  "function.deployment.started",
  "function.deployment.updated",
  "function.deployment.finished",
  "relay.error",
  "audit-log.event",
  "honey-token.touched",
  "payments.merchant.updated",
  "payments.acquirer.updated",
  "payments.3ds-session.success",
  "payments.3ds-session.failure",
  "payments.network-token.updated",
  "payments.card.updated",
  "payments.account-updater.updated",
  "payments.intelligent-retries.signal",
  "payments.pre-chargeback-alert.created",
  "payments.pre-chargeback-alert.updated",
  "payments.pre-chargeback-alert.reminder",
] as const

export type NamedEvent = (typeof NAMED_EVENTS)[number]
