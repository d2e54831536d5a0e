import { outcomeNumber } from "./outcome-of.ts"
import { EXPIRING_AMOUNT, LATE_AMOUNT } from "./sandbox-alerts.ts"

export const SANDBOX_AREAS = [
  "insights",
  "par",
  "3ds",
  "merchants",
  "apple-pay",
  "acquirers",
  "network-tokens",
  "card-art",
  "cards",
  "account-updater",
  "retries",
  "pre-chargeback-alerts",
] as const
export type SandboxArea = (typeof SANDBOX_AREAS)[number]

/** A value that triggers an outcome in a sandbox app. Only supported ones are published. */
export interface SandboxValue {
  readonly area: SandboxArea
  /** The request field for the value. */
  readonly field: string
  readonly value: string
  readonly outcome: string
}

const insights = (field: string, value: string, outcome: string): SandboxValue => ({
  area: "insights",
  field,
  value,
  outcome,
})

const threeDS = (digits: string, outcome: string): SandboxValue => ({
  area: "3ds",
  field: "card.number",
  value: outcomeNumber("visa", digits),
  outcome,
})

const networkToken = (digits: string, outcome: string): SandboxValue => ({
  area: "network-tokens",
  field: "card.number",
  value: outcomeNumber("visa", digits),
  outcome,
})

const subscription = (digits: string, outcome: string): SandboxValue => ({
  area: "account-updater",
  field: "number",
  value: outcomeNumber("visa", digits),
  outcome,
})

/** The test values of the sandbox: `GET /payments/sandbox` returns them, docs/payments-sandbox.md shows them. */
export const SANDBOX_VALUES: readonly SandboxValue[] = [
  insights("card.number", outcomeNumber("visa", "401"), "capabilities.push.enabled is false"),
  insights("card.number", outcomeNumber("visa", "402"), "capabilities.pull.enabled is false"),
  insights("card.number", outcomeNumber("visa", "403"), "push and pull are not enabled"),
  insights("card.cvv", "200", "cvv N no-match"),
  insights("card.cvv", "201", "cvv P not-processed"),
  insights("card.cvv", "202", "cvv S not-present"),
  insights("card.cvv", "203", "cvv U unsupported"),
  insights("address.line1", "No Street", "address no-match"),
  insights("address.postalCode", "99998", "zip no-match"),
  insights("address.postalCode", "99997", "address and zip unavailable"),
  insights("address.postalCode", "99996", "address and zip unknown"),
  insights("cardholder.firstName", "Mismatch", "firstName N no-match"),
  insights("cardholder.firstName", "Partial", "firstName P partial-match"),
  insights("cardholder.firstName", "Unsupported", "result U unsupported, no parts"),
  insights("cardholder.lastName", "Mismatch", "lastName N no-match"),
  insights("cardholder.lastName", "Partial", "lastName P partial-match"),
  insights("email", "mismatch@example.com", "email N no-match"),
  insights("email", "partial@example.com", "email P partial-match"),
  insights("email", "unsupported@example.com", "email U unsupported"),
  insights("phone", "003531000001", "phone N no-match"),
  insights("phone", "003531000002", "phone P partial-match"),
  insights("phone", "003531000003", "phone U unsupported"),
  { area: "par", field: "number", value: outcomeNumber("visa", "501"), outcome: "400 invalid-request" },
  threeDS("301", "success, frictionless"),
  threeDS("302", "success, attempt"),
  threeDS("303", "a challenge: the page shows the code, and has buttons to succeed, fail and cancel"),
  threeDS("304", "failure failed-authentication"),
  threeDS("305", "failure card-not-enrolled"),
  threeDS("306", "failure no-card-record"),
  threeDS("307", "failure suspected-fraud"),
  threeDS("308", "failure invalid-acquirer-details"),
  threeDS("309", "failure unsupported-version"),
  threeDS("310", "failure authentication-timed-out"),
  threeDS("311", "failure acs-unavailable"),
  threeDS("312", "failure directory-server-unavailable"),
  threeDS("313", "failure transient-system-failure"),
  threeDS("314", "failure invalid-card-details"),
  threeDS("315", "failure transaction-not-permitted"),
  threeDS("316", "failure required-data-element-missing"),
  threeDS("317", "failure protocol-error"),
  threeDS("318", "failure failed-authentication, with cardholderInfo"),
  { area: "merchants", field: "name", value: "Shop", outcome: "active" },
  { area: "merchants", field: "name", value: "Shop Slow", outcome: "pending, active after 2 minutes" },
  { area: "merchants", field: "name", value: "Shop Pending", outcome: "pending" },
  { area: "merchants", field: "name", value: "Shop Failed", outcome: "failed" },
  {
    area: "apple-pay",
    field: "applePay.domains",
    value: "pay.example.com",
    outcome: "pending, active after 1 second",
  },
  { area: "apple-pay", field: "applePay.domains", value: "fail.example.com", outcome: "failed" },
  {
    area: "acquirers",
    field: "configurations.acquirerMerchantIdentifier",
    value: "123456",
    outcome: "active",
  },
  {
    area: "acquirers",
    field: "configurations.acquirerMerchantIdentifier",
    value: "1000001",
    outcome: "failed",
  },
  {
    area: "acquirers",
    field: "configurations.acquirerMerchantIdentifier",
    value: "1000002",
    outcome: "pending",
  },
  networkToken("201", "400 payments/network-tokens/ineligible-card"),
  networkToken("202", "400 payments/network-tokens/invalid-card"),
  networkToken("203", "400 payments/network-tokens/declined-tokenization"),
  networkToken("204", "500 payments/network-tokens/unavailable-token-service-provider"),
  networkToken("205", "422 payments/network-tokens/token-service-provider-provisioning"),
  networkToken("206", "provisioning, active after 5 seconds"),
  {
    area: "card-art",
    field: "card.number",
    value: outcomeNumber("american-express", "999"),
    outcome: "404 not-found",
  },
  {
    area: "cards",
    field: "number",
    value: outcomeNumber("visa", "601"),
    outcome: "automaticUpdates issuer-not-enrolled",
  },
  {
    area: "cards",
    field: "number",
    value: outcomeNumber("visa", "602"),
    outcome: "active, invalid after 1 second",
  },
  {
    area: "cards",
    field: "number",
    value: outcomeNumber("visa", "604"),
    outcome: "active, replaced after 1 second",
  },
  {
    area: "cards",
    field: "number",
    value: outcomeNumber("visa", "605"),
    outcome: "active, closed after 1 second",
  },
  subscription("603", "failed"),
  subscription("606", "pending, active after 2 seconds"),
  {
    area: "retries",
    field: "card.number",
    value: outcomeNumber("mastercard", "701"),
    outcome: "watching, signalled after 1 second",
  },
  {
    area: "retries",
    field: "card.number",
    value: outcomeNumber("mastercard", "702"),
    outcome: "watching, stopped after 1 second",
  },
  {
    area: "pre-chargeback-alerts",
    field: "amount",
    value: String(EXPIRING_AMOUNT),
    outcome: "ethoca: open, expired after 2 seconds",
  },
  {
    area: "pre-chargeback-alerts",
    field: "amount",
    value: String(LATE_AMOUNT),
    outcome: "ethoca: resolved by an answer, then expired: the network takes it no more",
  },
]
