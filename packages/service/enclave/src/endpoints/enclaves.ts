import {
  apiKey,
  deletingEndpoint,
  listQuerySchema,
  listReplySchema,
  pageOf,
  readingEndpoint,
  replyOf,
} from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { EnclaveDependencies } from "../dependencies.ts"
import { removeEnclave, requireEnclave } from "../management/manage-enclaves.ts"
import { enclaveRecords } from "../records/enclave-table.ts"
import { enclavePathSchema, enclaveSchema, showEnclave } from "./enclave-schema.ts"

export const listEnclaves = readingEndpoint({
  id: "list-enclaves",
  path: "/enclaves",
  tag: "Enclaves",
  summary: "List the app's registered enclaves",
  description: "Newest first.",
  auth: [apiKey("enclave:list")],
  request: { query: listQuerySchema("enclave") },
  schema: listReplySchema(enclaveSchema, "EnclaveList"),
  reply: "A page of registrations",
  grants: ["dynamodb:Query/config"],
  async read({ principal: { app }, query }, { configTable }: EnclaveDependencies) {
    return replyOf(pageOf(await enclaveRecords.list(configTable, app.id), query), showEnclave)
  },
})

export const getEnclave = readingEndpoint({
  id: "get-enclave",
  path: "/enclaves/{enclave_id}",
  tag: "Enclaves",
  summary: "Get a registered enclave",
  description: "With the PCRs that its attestation must have.",
  auth: [apiKey("enclave:read")],
  request: { path: enclavePathSchema },
  schema: enclaveSchema,
  reply: "The registration",
  grants: ["dynamodb:GetItem/config"],
  async read({ principal: { app }, path }, dependencies: EnclaveDependencies) {
    return showEnclave(await requireEnclave(dependencies, app, path.enclave_id))
  },
})

export const deleteEnclave = deletingEndpoint({
  id: "delete-enclave",
  path: "/enclaves/{enclave_id}",
  tag: "Enclaves",
  summary: "Delete a registered enclave",
  description: "Its enclaves need an API key again, at the latest after 10 seconds.",
  auth: [apiKey("enclave:delete")],
  request: { path: enclavePathSchema },
  reply: "The registration is deleted",
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...AUDIT_GRANTS],
  async remove({ principal: { app }, path, caller }, dependencies: EnclaveDependencies) {
    await removeEnclave(dependencies, app, path.enclave_id, authorOf(caller))
  },
})
