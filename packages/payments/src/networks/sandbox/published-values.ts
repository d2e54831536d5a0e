import { outcomeNumber } from "./outcome-of.ts"

/** One value that provokes one outcome in a sandbox app. Only what is served is published. */
export interface SandboxValue {
  readonly area: "insights" | "par" | "merchants" | "apple-pay" | "acquirers"
  /** Where the value is sent: a field of the area's request. */
  readonly field: string
  readonly value: string
  readonly outcome: string
}

const insights = (field: string, value: string, outcome: string): SandboxValue => ({
  area: "insights",
  ...{ field, value, outcome },
})

/** The test values of the sandbox: `GET /payments/sandbox` answers them, docs/payments-sandbox.md shows them. */
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
]
