/** The format of an alert: all fields, or `{text}` as incoming webhooks of chat tools expect it. */
export const ALERT_TYPES = ["webhook", "chat"] as const

export type AlertType = (typeof ALERT_TYPES)[number]

/** The maximum number of alerts of a relay. */
export const MAX_ALERTS = 10

/** A receiver that is notified when a relay refuses or fails a request, or lets a card number pass. */
export interface RelayAlert {
  readonly id: string
  readonly appId: string
  readonly relayId: string
  readonly type: AlertType
  /** Where it is posted. */
  readonly url: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
  /** Incremented by each change. */
  readonly revision: number
}
