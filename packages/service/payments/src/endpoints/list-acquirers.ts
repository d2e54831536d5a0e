import { pageByNumber, pagesQuerySchema, pagesReplySchema } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { listAcquirers as list } from "../acquirers/manage-acquirers.ts"
import { acquirerSchema, showAcquirer } from "../acquirers/show-acquirer.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"

export const listAcquirers = endpoint({
  id: "list-acquirers",
  method: "GET",
  path: "/payments/acquirers",
  tag: "Acquirers",
  summary: "List the app's acquirers",
  description: "Newest first.",
  auth: [apiKey("acquirer:read")],
  reveals: "nothing",
  request: { query: pagesQuerySchema },
  status: 200,
  reply: {
    kind: "object",
    schema: pagesReplySchema(acquirerSchema, "AcquirerList"),
    description: "A page of acquirers",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/payments", ...ENROLLED_READ_GRANTS],
  async answer({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const { acquirers, defaultId } = await list(dependencies, app)
    return { body: pageByNumber(acquirers, query, (each) => showAcquirer(each, defaultId)) }
  },
})
