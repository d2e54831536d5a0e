import { apiKey, endpoint } from "@sealway/http"
import type { EnclaveDependencies } from "../dependencies.ts"
import { requireEnclave } from "../management/manage-enclaves.ts"
import { enclavePathSchema, enclaveSchema, showEnclave } from "./enclave-schema.ts"

export const getEnclave = endpoint({
  id: "get-enclave",
  method: "GET",
  path: "/enclaves/{enclave_id}",
  tag: "Enclaves",
  summary: "Get a registered enclave",
  description: "With the PCRs that its attestation must have.",
  auth: [apiKey("enclave:read")],
  reveals: "nothing",
  request: { path: enclavePathSchema },
  status: 200,
  reply: { kind: "object", schema: enclaveSchema, description: "The registration" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config"],
  async answer({ principal: { app }, path }, dependencies: EnclaveDependencies) {
    return { body: showEnclave(await requireEnclave(dependencies, app, path.enclave_id)) }
  },
})
