import type {
  AlertAnswer,
  AlertNetwork,
  AnswerAlertRequest,
  NetworkAlert,
} from "../messages/pre-chargeback-alerts.ts"
import { TEST_BINS } from "./outcome-of.ts"

/** Amounts that produce an outcome. */
export const EXPIRING_AMOUNT = 801
export const LATE_AMOUNT = 802

const EXPIRES_AFTER_MS = 2_000
const PAID_BEFORE_MS = 24 * 60 * 60_000
const LATE_PREFIX = "sandbox-late-"

export interface SandboxAlertOptions {
  readonly id: string
  readonly network: AlertNetwork
  readonly type: NetworkAlert["type"]
  readonly merchantId: string
  readonly descriptor: string
  readonly amount: number
  /** ISO 4217, in lower case. */
  readonly currency: string
  /** Epoch milliseconds. */
  readonly nowMs: number
}

/** Returns a made-up dispute of a payment from a day ago. */
export function sandboxAlert(options: SandboxAlertOptions): NetworkAlert {
  const { id, network, type, merchantId, descriptor, amount, currency, nowMs } = options
  const brand = network === "verifi" ? "visa" : "mastercard"
  return {
    network,
    type,
    merchant: { id: merchantId },
    reference: `${amount === LATE_AMOUNT ? LATE_PREFIX : "sandbox-"}${id}`,
    card: { bin: TEST_BINS[brand], lastFour: "0002", brand },
    transaction: {
      amount,
      currency,
      occurredAt: nowMs - PAID_BEFORE_MS,
      descriptor,
      authorizationCode: "123456",
      acquirerReferenceNumber: "00000000000000000000000",
    },
    ...(amount === EXPIRING_AMOUNT && { respondBy: nowMs + EXPIRES_AFTER_MS }),
  }
}

export function sandboxAlertAnswer({ alert }: AnswerAlertRequest): AlertAnswer {
  return { result: alert.reference.startsWith(LATE_PREFIX) ? "too-late" : "taken" }
}
