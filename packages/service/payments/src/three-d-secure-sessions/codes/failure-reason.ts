import type { Erro, ErrorCode3DS } from "@sealway/three-d-secure"

/** Why sessions fail, in the order of the sandbox's test numbers. */
export const FAILURE_REASONS = [
  "failed-authentication",
  "card-not-enrolled",
  "no-card-record",
  "suspected-fraud",
  "invalid-acquirer-details",
  "unsupported-version",
  "authentication-timed-out",
  "acs-unavailable",
  "directory-server-unavailable",
  "transient-system-failure",
  "invalid-card-details",
  "transaction-not-permitted",
  "required-data-element-missing",
  "protocol-error",
  "cancelled",
  "challenge-required",
] as const

export type FailureReason = (typeof FAILURE_REASONS)[number]

/** The meanings of `transStatusReason`. Codes from 80 on differ by network. */
const BY_REASON: ReadonlyMap<string, FailureReason> = new Map([
  ["01", "failed-authentication"],
  ["05", "invalid-card-details"],
  ["06", "invalid-card-details"],
  ["07", "transaction-not-permitted"],
  ["08", "no-card-record"],
  ["09", "suspected-fraud"],
  ["10", "suspected-fraud"],
  ["11", "suspected-fraud"],
  ["12", "transaction-not-permitted"],
  ["13", "card-not-enrolled"],
  ["14", "authentication-timed-out"],
  ["20", "transaction-not-permitted"],
  ["21", "transaction-not-permitted"],
  ["22", "acs-unavailable"],
  ["24", "authentication-timed-out"],
  ["26", "failed-authentication"],
])

/** The meanings of `transStatus` when its reason is not more specific. */
const BY_STATUS: ReadonlyMap<string, FailureReason> = new Map([
  ["N", "failed-authentication"],
  ["R", "failed-authentication"],
  ["U", "transient-system-failure"],
  ["D", "protocol-error"],
  ["S", "protocol-error"],
])

const BY_CANCELLATION: ReadonlyMap<string, FailureReason> = new Map([
  ["01", "cancelled"],
  ["03", "authentication-timed-out"],
  ["04", "authentication-timed-out"],
  ["05", "authentication-timed-out"],
  ["08", "authentication-timed-out"],
  ["09", "protocol-error"],
  ["10", "protocol-error"],
])

/** Codes of Erro messages that mean more than a protocol error. */
const BY_ERROR: Partial<Readonly<Record<ErrorCode3DS, FailureReason>>> = {
  "102": "unsupported-version",
  "201": "required-data-element-missing",
  "303": "invalid-acquirer-details",
  "305": "transaction-not-permitted",
  "306": "invalid-acquirer-details",
  "402": "acs-unavailable",
  "403": "transient-system-failure",
  "404": "directory-server-unavailable",
  "405": "acs-unavailable",
}

export interface Refusal {
  readonly transStatus?: string | undefined
  readonly transStatusReason?: string | undefined
  /** Why a challenge ended early. */
  readonly challengeCancel?: string | undefined
}

/** Returns why a network's unsuccessful answer fails a session. */
export function failureReasonOf({ transStatus, transStatusReason, challengeCancel }: Refusal): FailureReason {
  return (
    BY_CANCELLATION.get(challengeCancel ?? "") ??
    BY_REASON.get(transStatusReason ?? "") ??
    BY_STATUS.get(transStatus ?? "") ??
    "failed-authentication"
  )
}

/** Returns why an Erro instead of an answer fails a session. */
export function failureReasonOfError({ errorCode }: Pick<Erro, "errorCode">): FailureReason {
  const known = Object.entries(BY_ERROR).find(([code]) => code === errorCode)
  return known?.[1] ?? "protocol-error"
}
