import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { EnclaveDependencies } from "../dependencies.ts"
import { addEnclave } from "../management/manage-enclaves.ts"
import { enclaveInputSchema, enclaveSchema, MAX_ENCLAVE_BYTES, showEnclave } from "./enclave-schema.ts"

export const createEnclave = endpoint({
  id: "create-enclave",
  method: "POST",
  path: "/enclaves",
  tag: "Enclaves",
  summary: "Register an enclave's image",
  description:
    "Enclaves that run this image, or any image of this signer, may then call `POST /enclaves/decrypt` without an API key. What they may decrypt is decided by the policies of data roles, which must name PCRs too.",
  auth: [apiKey("enclave:create")],
  reveals: "nothing",
  writes: true,
  request: { body: { kind: "object", schema: enclaveInputSchema, maxBytes: MAX_ENCLAVE_BYTES } },
  status: 201,
  reply: { kind: "object", schema: enclaveSchema, description: "The registration" },
  errors: ["conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, body, caller }, dependencies: EnclaveDependencies) {
    return { body: showEnclave(await addEnclave(dependencies, app, body, authorOf(caller))) }
  },
})
