import { apiKey, endpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { requireRetryEnrolment, retryEnrolmentSchema } from "../retries/retry-enrolments.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"
import { retryEnrolmentPathSchema } from "./retry-parameters.ts"

export const getRetryEnrolment = endpoint({
  id: "get-retry-enrolment",
  method: "GET",
  path: "/payments/merchants/{merchant_id}/retry-enrolments/{retry_enrolment_id}",
  tag: "Intelligent Retries",
  summary: "Get an enrolment for intelligent retries",
  description: "Enrolling again creates a new enrolment with another id.",
  auth: [apiKey("retryEnrolment:read")],
  reveals: "nothing",
  request: { path: retryEnrolmentPathSchema },
  status: 200,
  reply: { kind: "object", schema: retryEnrolmentSchema, description: "The enrolment" },
  errors: ["not-found"],
  grants: ENROLLED_READ_GRANTS,
  async answer({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return { body: await requireRetryEnrolment(dependencies, app, path.merchant_id, path.retry_enrolment_id) }
  },
})
