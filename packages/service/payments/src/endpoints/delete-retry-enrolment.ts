import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { deleteRetryEnrolment as remove } from "../retries/retry-enrolments.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { retryEnrolmentPathSchema } from "./retry-parameters.ts"

export const deleteRetryEnrolment = endpoint({
  id: "delete-retry-enrolment",
  method: "DELETE",
  path: "/payments/merchants/{merchant_id}/retry-enrolments/{retry_enrolment_id}",
  tag: "Intelligent Retries",
  summary: "End an enrolment for intelligent retries",
  description: "Same as disabling the merchant's `intelligentRetries`. Existing watches continue.",
  auth: [apiKey("retryEnrolment:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: retryEnrolmentPathSchema },
  status: 204,
  reply: { kind: "none", description: "The enrolment is ended" },
  errors: ["not-found", "conflict"],
  grants: ENROLLING_GRANTS,
  async answer({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    const { merchant_id: merchant, retry_enrolment_id: id } = path
    await remove(dependencies, app, merchant, id, authorOf(caller))
    return { body: null }
  },
})
