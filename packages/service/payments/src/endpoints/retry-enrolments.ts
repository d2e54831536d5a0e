import {
  apiKey,
  deletingEndpoint,
  listQuerySchema,
  listReplySchema,
  pageOf,
  readingEndpoint,
} from "@sealway/http"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import {
  listRetryEnrolments as list,
  deleteRetryEnrolment as remove,
  requireRetryEnrolment,
  retryEnrolmentSchema,
} from "../retries/retry-enrolments.ts"
import { ENROLLED_READ_GRANTS, ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { merchantPathSchema, retryEnrolmentPathSchema } from "./parameters.ts"

export const listRetryEnrolments = readingEndpoint({
  id: "list-retry-enrolments",
  path: "/payments/merchants/{merchant_id}/retry-enrolments",
  tag: "Intelligent Retries",
  summary: "List a merchant's enrolments for intelligent retries",
  description: "One for each network that it is enrolled with.",
  auth: [apiKey("retryEnrolment:read")],
  request: { path: merchantPathSchema, query: listQuerySchema("retry_enrolment") },
  schema: listReplySchema(retryEnrolmentSchema, "RetryEnrolmentList"),
  reply: "A page of enrolments",
  grants: ENROLLED_READ_GRANTS,
  async read({ principal: { app }, path, query }, dependencies: PaymentDependencies) {
    return pageOf(await list(dependencies, app, path.merchant_id), query)
  },
})

export const getRetryEnrolment = readingEndpoint({
  id: "get-retry-enrolment",
  path: "/payments/merchants/{merchant_id}/retry-enrolments/{retry_enrolment_id}",
  tag: "Intelligent Retries",
  summary: "Get an enrolment for intelligent retries",
  description: "Enrolling again creates a new enrolment with another id.",
  auth: [apiKey("retryEnrolment:read")],
  request: { path: retryEnrolmentPathSchema },
  schema: retryEnrolmentSchema,
  reply: "The enrolment",
  grants: ENROLLED_READ_GRANTS,
  async read({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return await requireRetryEnrolment(dependencies, app, path.merchant_id, path.retry_enrolment_id)
  },
})

export const deleteRetryEnrolment = deletingEndpoint({
  id: "delete-retry-enrolment",
  path: "/payments/merchants/{merchant_id}/retry-enrolments/{retry_enrolment_id}",
  tag: "Intelligent Retries",
  summary: "End an enrolment for intelligent retries",
  description: "Same as disabling the merchant's `intelligentRetries`. Existing watches continue.",
  auth: [apiKey("retryEnrolment:delete")],
  request: { path: retryEnrolmentPathSchema },
  reply: "The enrolment is ended",
  grants: ENROLLING_GRANTS,
  async remove({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    const { merchant_id: merchant, retry_enrolment_id: id } = path
    await remove(dependencies, app, merchant, id, authorOf(caller))
  },
})
