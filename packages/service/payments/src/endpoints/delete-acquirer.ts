import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import { deleteAcquirer as remove } from "../acquirers/manage-acquirers.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { acquirerPathSchema } from "./acquirer-parameters.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"

export const deleteAcquirer = endpoint({
  id: "delete-acquirer",
  method: "DELETE",
  path: "/payments/acquirers/{acquirer_id}",
  tag: "Acquirers",
  summary: "Delete an acquirer",
  description: "Withdraws its configurations from the networks.",
  auth: [apiKey("acquirer:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: acquirerPathSchema },
  status: 204,
  reply: { kind: "none", description: "The acquirer is deleted" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:DeleteItem/payments", ...ENROLLING_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    await remove(dependencies, app, path.acquirer_id, authorOf(caller))
    return { body: null }
  },
})
