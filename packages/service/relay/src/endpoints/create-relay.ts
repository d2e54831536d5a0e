import { apiKey, endpoint } from "@sealway/http"
import { clientCertificateSchema } from "@sealway/http/client-certificates"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { RelayDependencies } from "../dependencies.ts"
import { EDGE_ATTACH_GRANTS } from "../edge/relay-edge.ts"
import { addRelay } from "../management/manage-relays.ts"
import { MAX_RELAY_BYTES, relayInputShape } from "../management/relay-input.ts"
import { relaySchema, showRelay } from "./relay-schema.ts"

const requestSchema = z
  .strictObject({ ...relayInputShape, clientCertificate: clientCertificateSchema.nullable().default(null) })
  .meta({ id: "RelayInput" })

export const createRelay = endpoint({
  id: "create-relay",
  method: "POST",
  path: "/relays",
  tag: "Relays",
  summary: "Create a relay",
  description:
    "A relay is a proxy in front of one destination that encrypts and decrypts the fields that its routes select. An app can have one relay per destination.",
  auth: [apiKey("relay:create")],
  reveals: "nothing",
  writes: true,
  request: { body: { kind: "object", schema: requestSchema, maxBytes: MAX_RELAY_BYTES } },
  status: 201,
  reply: { kind: "object", schema: relaySchema, description: "The relay" },
  errors: ["conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    "dynamodb:Query/keys",
    "kms:Decrypt/secret",
    ...EDGE_ATTACH_GRANTS,
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, body, caller }, dependencies: RelayDependencies) {
    const made = await addRelay(dependencies, app, body, authorOf(caller))
    return { body: showRelay(made, dependencies.wallClock()) }
  },
})
