import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { alertAnswerSchema, answerAlert } from "../pre-chargeback-alerts/manage-alerts.ts"
import { alertSchema, showAlert } from "../pre-chargeback-alerts/show-alert.ts"
import { ENROLLING_GRANTS, ENROLMENT_NEWS_GRANTS } from "./enrolling-grants.ts"
import { alertPathSchema } from "./parameters.ts"

export const updatePreChargebackAlert = endpoint({
  id: "update-pre-chargeback-alert",
  method: "PATCH",
  path: "/payments/pre-chargeback-alerts/{pre_chargeback_alert_id}",
  tag: "Pre-Chargeback Alerts",
  summary: "Answer a pre-chargeback alert",
  description:
    "Reports the outcome of the dispute. It does not move money: refund first. The first answer before `respondBy` is final and is sent to the network. Returns 409 `conflict` for an alert that was already answered, has expired, or was decided automatically.",
  auth: [apiKey("preChargebackAlert:update")],
  reveals: "nothing",
  writes: true,
  request: {
    path: alertPathSchema,
    body: { kind: "object", schema: alertAnswerSchema, maxBytes: MAX_PAYMENT_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: alertSchema, description: "The alert" },
  errors: ["not-found", "conflict"],
  grants: [...ENROLLING_GRANTS, ...ENROLMENT_NEWS_GRANTS],
  async answer({ principal: { app }, path, body, caller }, dependencies: PaymentDependencies) {
    const id = path.pre_chargeback_alert_id
    return { body: showAlert(await answerAlert(dependencies, app, id, body, authorOf(caller))) }
  },
})
