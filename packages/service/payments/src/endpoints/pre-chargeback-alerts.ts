import { apiKey, filteredReplySchema, listQuerySchema, readingEndpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { listAlerts, requireAlert } from "../pre-chargeback-alerts/manage-alerts.ts"
import {
  alertNetworkSchema,
  alertSchema,
  alertStatusSchema,
  showAlert,
} from "../pre-chargeback-alerts/show-alert.ts"
import { ENROLLED_LIST_GRANTS, ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"
import { FILTERED_LIST, merchantFilterSchema } from "./list-filters.ts"
import { alertPathSchema } from "./parameters.ts"

export const listPreChargebackAlerts = readingEndpoint({
  id: "list-pre-chargeback-alerts",
  path: "/payments/pre-chargeback-alerts",
  tag: "Pre-Chargeback Alerts",
  summary: "List the app's pre-chargeback alerts",
  description: FILTERED_LIST,
  auth: [apiKey("preChargebackAlert:read")],
  request: {
    query: listQuerySchema("chargeback_alert").extend({
      merchant: merchantFilterSchema,
      network: alertNetworkSchema.optional(),
      status: alertStatusSchema.optional(),
    }),
  },
  schema: filteredReplySchema(alertSchema, "PreChargebackAlertList"),
  reply: "A page of alerts",
  grants: ENROLLED_LIST_GRANTS,
  async read({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const { data, ...rest } = await listAlerts(dependencies, app, query)
    return { data: data.map(showAlert), ...rest }
  },
})

export const getPreChargebackAlert = readingEndpoint({
  id: "get-pre-chargeback-alert",
  path: "/payments/pre-chargeback-alerts/{pre_chargeback_alert_id}",
  tag: "Pre-Chargeback Alerts",
  summary: "Get a pre-chargeback alert",
  description: "It can be read for 540 days.",
  auth: [apiKey("preChargebackAlert:read")],
  request: { path: alertPathSchema },
  schema: alertSchema,
  reply: "The alert",
  grants: ENROLLED_READ_GRANTS,
  async read({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return showAlert(await requireAlert(dependencies, app, path.pre_chargeback_alert_id))
  },
})
