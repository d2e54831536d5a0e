import { pageByNumber, pagesQuerySchema, pagesReplySchema } from "@sealway/bins"
import { apiKey, deletingEndpoint, readingEndpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import {
  listAcquirers as list,
  deleteAcquirer as remove,
  requireAcquirer,
} from "../acquirers/manage-acquirers.ts"
import { acquirerSchema, showAcquirer } from "../acquirers/show-acquirer.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { ENROLLED_READ_GRANTS, ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { acquirerPathSchema } from "./parameters.ts"

export const listAcquirers = readingEndpoint({
  id: "list-acquirers",
  path: "/payments/acquirers",
  tag: "Acquirers",
  summary: "List the app's acquirers",
  description: "Newest first.",
  auth: [apiKey("acquirer:read")],
  request: { query: pagesQuerySchema },
  schema: pagesReplySchema(acquirerSchema, "AcquirerList"),
  reply: "A page of acquirers",
  grants: ["dynamodb:Query/payments", ...ENROLLED_READ_GRANTS],
  async read({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const { acquirers, defaultId } = await list(dependencies, app)
    return pageByNumber(acquirers, query, (each) => showAcquirer(each, defaultId))
  },
})

export const getAcquirer = readingEndpoint({
  id: "get-acquirer",
  path: "/payments/acquirers/{acquirer_id}",
  tag: "Acquirers",
  summary: "Get an acquirer",
  description: "With the state of each of its configurations.",
  auth: [apiKey("acquirer:read")],
  request: { path: acquirerPathSchema },
  schema: acquirerSchema,
  reply: "The acquirer",
  grants: ENROLLED_READ_GRANTS,
  async read({ principal: { app }, path }, dependencies: PaymentDependencies) {
    const { acquirer, defaultId } = await requireAcquirer(dependencies, app, path.acquirer_id)
    return showAcquirer(acquirer, defaultId)
  },
})

export const deleteAcquirer = deletingEndpoint({
  id: "delete-acquirer",
  path: "/payments/acquirers/{acquirer_id}",
  tag: "Acquirers",
  summary: "Delete an acquirer",
  description: "Withdraws its configurations from the networks.",
  auth: [apiKey("acquirer:delete")],
  request: { path: acquirerPathSchema },
  reply: "The acquirer is deleted",
  grants: ["dynamodb:DeleteItem/payments", ...ENROLLING_GRANTS],
  async remove({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    await remove(dependencies, app, path.acquirer_id, authorOf(caller))
  },
})
