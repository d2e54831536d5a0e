import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { EnclaveDependencies } from "../dependencies.ts"
import { removeEnclave } from "../management/manage-enclaves.ts"
import { enclavePathSchema } from "./enclave-schema.ts"

export const deleteEnclave = endpoint({
  id: "delete-enclave",
  method: "DELETE",
  path: "/enclaves/{enclave_id}",
  tag: "Enclaves",
  summary: "Delete a registered enclave",
  description: "Its enclaves need an API key again, at the latest after 10 seconds.",
  auth: [apiKey("enclave:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: enclavePathSchema },
  status: 204,
  reply: { kind: "none", description: "The registration is deleted" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: EnclaveDependencies) {
    await removeEnclave(dependencies, app, path.enclave_id, authorOf(caller))
    return { body: null }
  },
})
