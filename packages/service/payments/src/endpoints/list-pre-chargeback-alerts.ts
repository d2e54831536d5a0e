import { apiKey, endpoint, filteredReplySchema, listQuerySchema } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { listAlerts } from "../pre-chargeback-alerts/manage-alerts.ts"
import {
  alertNetworkSchema,
  alertSchema,
  alertStatusSchema,
  showAlert,
} from "../pre-chargeback-alerts/show-alert.ts"
import { ENROLLED_LIST_GRANTS } from "./enrolling-grants.ts"
import { FILTERED_LIST, merchantFilterSchema } from "./list-filters.ts"

export const listPreChargebackAlerts = endpoint({
  id: "list-pre-chargeback-alerts",
  method: "GET",
  path: "/payments/pre-chargeback-alerts",
  tag: "Pre-Chargeback Alerts",
  summary: "List the app's pre-chargeback alerts",
  description: FILTERED_LIST,
  auth: [apiKey("preChargebackAlert:read")],
  reveals: "nothing",
  request: {
    query: listQuerySchema("chargeback_alert").extend({
      merchant: merchantFilterSchema,
      network: alertNetworkSchema.optional(),
      status: alertStatusSchema.optional(),
    }),
  },
  status: 200,
  reply: {
    kind: "object",
    schema: filteredReplySchema(alertSchema, "PreChargebackAlertList"),
    description: "A page of alerts",
  },
  errors: ["invalid-request"],
  grants: ENROLLED_LIST_GRANTS,
  async answer({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const { data, ...rest } = await listAlerts(dependencies, app, query)
    return { body: { data: data.map(showAlert), ...rest } }
  },
})
