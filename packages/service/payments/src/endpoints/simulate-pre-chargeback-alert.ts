import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { alertSchema, showAlert } from "../pre-chargeback-alerts/show-alert.ts"
import { alertSimulationSchema, simulateAlert } from "../pre-chargeback-alerts/simulate-alert.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"

export const simulatePreChargebackAlert = endpoint({
  id: "simulate-pre-chargeback-alert",
  method: "POST",
  path: "/payments/pre-chargeback-alerts/simulate",
  tag: "Pre-Chargeback Alerts",
  summary: "Simulate a pre-chargeback alert",
  description:
    "Creates an alert in a sandbox app, for a sample payment, as its network would. The merchant's enrolment for the network's alerts must be active; otherwise it returns 409 `conflict`.",
  auth: [apiKey("preChargebackAlert:update")],
  reveals: "nothing",
  writes: true,
  request: { body: { kind: "object", schema: alertSimulationSchema, maxBytes: MAX_PAYMENT_BYTES } },
  status: 201,
  reply: { kind: "object", schema: alertSchema, description: "The alert" },
  errors: ["not-found", "conflict"],
  grants: ENROLLING_GRANTS,
  async answer({ principal, caller, body }, dependencies: PaymentDependencies) {
    return { body: showAlert(await simulateAlert(dependencies, { principal, caller }, body)) }
  },
})
