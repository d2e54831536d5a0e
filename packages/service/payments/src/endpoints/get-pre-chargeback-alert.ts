import { apiKey, endpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { requireAlert } from "../pre-chargeback-alerts/manage-alerts.ts"
import { alertSchema, showAlert } from "../pre-chargeback-alerts/show-alert.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"
import { alertPathSchema } from "./pre-chargeback-alert-parameters.ts"

export const getPreChargebackAlert = endpoint({
  id: "get-pre-chargeback-alert",
  method: "GET",
  path: "/payments/pre-chargeback-alerts/{pre_chargeback_alert_id}",
  tag: "Pre-Chargeback Alerts",
  summary: "Get a pre-chargeback alert",
  description: "It can be read for 540 days.",
  auth: [apiKey("preChargebackAlert:read")],
  reveals: "nothing",
  request: { path: alertPathSchema },
  status: 200,
  reply: { kind: "object", schema: alertSchema, description: "The alert" },
  errors: ["not-found"],
  grants: ENROLLED_READ_GRANTS,
  async answer({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return { body: showAlert(await requireAlert(dependencies, app, path.pre_chargeback_alert_id)) }
  },
})
