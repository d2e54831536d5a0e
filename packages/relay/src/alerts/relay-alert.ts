/** What an alert is written as: all that is known of it, or `{text}` as incoming webhooks of chat tools take it. */
export const ALERT_TYPES = ["webhook", "chat"] as const

export type AlertType = (typeof ALERT_TYPES)[number]

/** Alerts of a relay. */
export const MAX_ALERTS = 10

/** Somebody who is told when a relay refuses or fails a request, or lets a card number pass. */
export interface RelayAlert {
  readonly id: string
  readonly appId: string
  readonly relayId: string
  readonly type: AlertType
  /** Where it is posted to. */
  readonly url: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
  /** Counts changes. */
  readonly revision: number
}
