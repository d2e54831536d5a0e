import type { Relay } from "../relays/relay.ts"
import type { AlertType } from "./relay-alert.ts"

/** The content of a `webhook` alert: the ten fields of the specification (Events, Relay alerts). */
export interface AlertFields {
  readonly relayUuid: string
  readonly teamUuid: string
  /** What went wrong. */
  readonly errorMessage: string
  /** Where. */
  readonly evMessage: string
  /** Where people see the request: its page in the dashboard. */
  readonly activityLink: string
  /** Epoch milliseconds. */
  readonly timestamp: number
  /** A relay error code; `leak-detected` for a finding of the leak watch, `test` for a test. */
  readonly errorType: string
  /** The status of the answer that was sent. */
  readonly statusCode: number
  /** By `statusCode`; `ERR` for any other: an answer that was forwarded nonetheless. */
  readonly statusGroup: "4XX" | "5XX" | "ERR"
  readonly inboundDomain: string
}

export type AlertCause = Pick<
  AlertFields,
  "errorMessage" | "evMessage" | "activityLink" | "timestamp" | "errorType" | "statusCode"
>

export function alertFields(
  relay: Pick<Relay, "id" | "teamId" | "relayDomain">,
  cause: AlertCause,
): AlertFields {
  const { errorMessage, evMessage, activityLink, timestamp, errorType, statusCode } = cause
  return {
    relayUuid: relay.id,
    teamUuid: relay.teamId,
    errorMessage,
    evMessage,
    activityLink,
    timestamp,
    errorType,
    statusCode,
    statusGroup: statusGroupOf(statusCode),
    inboundDomain: relay.relayDomain,
  }
}

/** Returns what is posted for an alert of a type. */
export function alertBody(type: AlertType, fields: AlertFields): object {
  return type === "webhook" ? fields : { text: chatText(fields) }
}

function chatText({
  inboundDomain,
  errorType,
  statusCode,
  errorMessage,
  evMessage,
  activityLink,
}: AlertFields) {
  return `Relay ${inboundDomain}: ${errorType} (${statusCode}). ${errorMessage} ${evMessage} ${activityLink}`
}

function statusGroupOf(status: number): AlertFields["statusGroup"] {
  if (status >= 500) return "5XX"
  return status >= 400 ? "4XX" : "ERR"
}
