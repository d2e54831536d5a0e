import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import { acquirerInputSchema, detailsOf } from "../acquirers/acquirer-rules.ts"
import { addAcquirer } from "../acquirers/manage-acquirers.ts"
import { acquirerSchema, showAcquirer } from "../acquirers/show-acquirer.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"

export const createAcquirer = endpoint({
  id: "create-acquirer",
  method: "POST",
  path: "/payments/acquirers",
  tag: "Acquirers",
  summary: "Create an acquirer",
  description:
    "Enrols each configuration with its card network. An app has one default acquirer: creating an acquirer as the default replaces the previous one, and the first acquirer becomes the default. When a state changes later, the event `payments.acquirer.updated` reports it.",
  auth: [apiKey("acquirer:create")],
  reveals: "nothing",
  writes: true,
  request: { body: { kind: "object", schema: acquirerInputSchema, maxBytes: MAX_PAYMENT_BYTES } },
  status: 201,
  reply: { kind: "object", schema: acquirerSchema, description: "The acquirer" },
  errors: ["conflict"],
  grants: ["dynamodb:Query/payments", "dynamodb:DeleteItem/payments", ...ENROLLING_GRANTS],
  async answer({ principal: { app }, body, caller }, dependencies: PaymentDependencies) {
    const isDefault = body.default ?? false
    const made = await addAcquirer(dependencies, app, detailsOf(body), isDefault, authorOf(caller))
    return { body: showAcquirer(made.acquirer, made.defaultId) }
  },
})
