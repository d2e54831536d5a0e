import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import {
  createRetryEnrolment as create,
  RETRY_NETWORKS,
  retryEnrolmentSchema,
} from "../retries/retry-enrolments.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { merchantPathSchema } from "./parameters.ts"

export const createRetryEnrolment = endpoint({
  id: "create-retry-enrolment",
  method: "POST",
  path: "/payments/merchants/{merchant_id}/retry-enrolments",
  tag: "Intelligent Retries",
  summary: "Enrol a merchant for intelligent retries",
  description:
    "Same as enabling the merchant's `intelligentRetries`, which shows the enrolment too. To retry a failed enrolment, create it again.",
  auth: [apiKey("retryEnrolment:create")],
  reveals: "nothing",
  writes: true,
  request: {
    path: merchantPathSchema,
    body: {
      kind: "object",
      schema: z.strictObject({ network: z.enum(RETRY_NETWORKS) }).meta({ id: "RetryEnrolmentInput" }),
      maxBytes: MAX_PAYMENT_BYTES,
    },
  },
  status: 201,
  reply: { kind: "object", schema: retryEnrolmentSchema, description: "The enrolment" },
  errors: ["not-found", "conflict"],
  grants: ENROLLING_GRANTS,
  async answer({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    return { body: await create(dependencies, app, path.merchant_id, authorOf(caller)) }
  },
})
