import { apiKey, endpoint, listQuerySchema, listReplySchema, pageOf, replyOf } from "@sealway/http"
import type { EnclaveDependencies } from "../dependencies.ts"
import { enclaveRecords } from "../records/enclave-table.ts"
import { enclaveSchema, showEnclave } from "./enclave-schema.ts"

export const listEnclaves = endpoint({
  id: "list-enclaves",
  method: "GET",
  path: "/enclaves",
  tag: "Enclaves",
  summary: "List the app's registered enclaves",
  description: "Newest first.",
  auth: [apiKey("enclave:list")],
  reveals: "nothing",
  request: { query: listQuerySchema("enclave") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(enclaveSchema, "EnclaveList"),
    description: "A page of registrations",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/config"],
  async answer({ principal: { app }, query }, { configTable }: EnclaveDependencies) {
    return { body: replyOf(pageOf(await enclaveRecords.list(configTable, app.id), query), showEnclave) }
  },
})
