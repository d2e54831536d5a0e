import { apiKey, endpoint, listQuerySchema, listReplySchema, pageOf } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { listRetryEnrolments as list, retryEnrolmentSchema } from "../retries/retry-enrolments.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"
import { merchantPathSchema } from "./merchant-parameters.ts"

export const listRetryEnrolments = endpoint({
  id: "list-retry-enrolments",
  method: "GET",
  path: "/payments/merchants/{merchant_id}/retry-enrolments",
  tag: "Intelligent Retries",
  summary: "List a merchant's enrolments for intelligent retries",
  description: "One for each network that it is enrolled with.",
  auth: [apiKey("retryEnrolment:read")],
  reveals: "nothing",
  request: { path: merchantPathSchema, query: listQuerySchema("retry_enrolment") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(retryEnrolmentSchema, "RetryEnrolmentList"),
    description: "A page of enrolments",
  },
  errors: ["not-found", "invalid-request"],
  grants: ENROLLED_READ_GRANTS,
  async answer({ principal: { app }, path, query }, dependencies: PaymentDependencies) {
    return { body: pageOf(await list(dependencies, app, path.merchant_id), query) }
  },
})
