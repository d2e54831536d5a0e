import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import { acquirerChangesSchema, changedDetails } from "../acquirers/acquirer-rules.ts"
import { changeAcquirer } from "../acquirers/manage-acquirers.ts"
import { acquirerSchema, showAcquirer } from "../acquirers/show-acquirer.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { acquirerPathSchema } from "./parameters.ts"

export const updateAcquirer = endpoint({
  id: "update-acquirer",
  method: "PATCH",
  path: "/payments/acquirers/{acquirer_id}",
  tag: "Acquirers",
  summary: "Change an acquirer",
  description:
    "Fields that are not sent stay unchanged. A configuration is enrolled again if it changes, or if it has failed and is sent again.",
  auth: [apiKey("acquirer:update")],
  reveals: "nothing",
  writes: true,
  request: {
    path: acquirerPathSchema,
    body: { kind: "object", schema: acquirerChangesSchema, maxBytes: MAX_PAYMENT_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: acquirerSchema, description: "The acquirer" },
  errors: ["not-found", "conflict"],
  grants: ENROLLING_GRANTS,
  async answer({ principal: { app }, path, body, caller }, dependencies: PaymentDependencies) {
    const { acquirer, defaultId } = await changeAcquirer(
      dependencies,
      app,
      path.acquirer_id,
      (details) => changedDetails(details, body),
      Object.keys(body),
      body.default,
      authorOf(caller),
    )
    return { body: showAcquirer(acquirer, defaultId) }
  },
})
