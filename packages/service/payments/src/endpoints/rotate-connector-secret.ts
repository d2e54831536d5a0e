import { findAppOfTeam } from "@sealway/accounts"
import { endpoint, teamKey } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { rotateConnectorSecret as rotate } from "../networks/connector/manage-connector.ts"
import { connectorPathSchema, connectorWithSecretSchema, showConnector } from "./connector-schema.ts"

const DEFAULT_OVERLAP_SECONDS = 24 * 60 * 60
const MAX_OVERLAP_SECONDS = 7 * 24 * 60 * 60
const MAX_PARAMETER_BYTES = 1024

const requestSchema = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(DEFAULT_OVERLAP_SECONDS)
    .describe("How long the old secret also stays valid, up to 7 days. Default: one day"),
})

export const rotateConnectorSecret = endpoint({
  id: "rotate-connector-secret",
  method: "POST",
  path: "/apps/{app_id}/connector/rotate-secret",
  tag: "Connectors",
  summary: "Rotate the signing secret of a connector",
  description:
    "The new secret is shown only in this response: store it now. Until the overlap ends, requests to the connector carry a signature by each secret, and its events may be signed with either.",
  auth: [teamKey()],
  reveals: "secrets",
  writes: true,
  request: {
    path: connectorPathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_PARAMETER_BYTES },
  },
  status: 200,
  reply: {
    kind: "object",
    schema: connectorWithSecretSchema,
    description: "The connector, with its new secret",
  },
  errors: ["not-found", "conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:GetItem/payments",
    "dynamodb:PutItem/payments",
    "dynamodb:Query/keys",
    "kms:Decrypt/secret",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { team }, path, body, caller }, dependencies: PaymentDependencies) {
    const app = await findAppOfTeam(dependencies.directory, team.id, path.app_id)
    const overlapMs = body.overlapSeconds * 1000
    const { connector, secret } = await rotate(dependencies, app, overlapMs, authorOf(caller))
    return { body: { ...showConnector(connector), signingSecret: secret } }
  },
})
