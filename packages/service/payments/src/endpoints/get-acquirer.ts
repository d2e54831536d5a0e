import { apiKey, endpoint } from "@sealway/http"
import { requireAcquirer } from "../acquirers/manage-acquirers.ts"
import { acquirerSchema, showAcquirer } from "../acquirers/show-acquirer.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { acquirerPathSchema } from "./acquirer-parameters.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"

export const getAcquirer = endpoint({
  id: "get-acquirer",
  method: "GET",
  path: "/payments/acquirers/{acquirer_id}",
  tag: "Acquirers",
  summary: "Get an acquirer",
  description: "With the state of each of its configurations.",
  auth: [apiKey("acquirer:read")],
  reveals: "nothing",
  request: { path: acquirerPathSchema },
  status: 200,
  reply: { kind: "object", schema: acquirerSchema, description: "The acquirer" },
  errors: ["not-found"],
  grants: ENROLLED_READ_GRANTS,
  async answer({ principal: { app }, path }, dependencies: PaymentDependencies) {
    const { acquirer, defaultId } = await requireAcquirer(dependencies, app, path.acquirer_id)
    return { body: showAcquirer(acquirer, defaultId) }
  },
})
