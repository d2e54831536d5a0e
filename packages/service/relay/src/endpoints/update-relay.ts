import { apiKey, endpoint } from "@sealway/http"
import { clientCertificateSchema } from "@sealway/http/client-certificates"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { RelayDependencies } from "../dependencies.ts"
import { EDGE_ATTACH_GRANTS } from "../edge/relay-edge.ts"
import { changeRelay } from "../management/manage-relays.ts"
import { MAX_RELAY_BYTES, relaySettingsShape } from "../management/relay-input.ts"
import { relayPathSchema, relaySchema, showRelay } from "./relay-schema.ts"

const requestSchema = z
  .strictObject({
    routes: relaySettingsShape.routes.exactOptional(),
    authentication: relaySettingsShape.authentication.exactOptional(),
    encryptEmptyStrings: relaySettingsShape.encryptEmptyStrings.exactOptional(),
    leakWatch: relaySettingsShape.leakWatch.exactOptional(),
    caseSensitiveNames: relaySettingsShape.caseSensitiveNames.exactOptional(),
    unknownContentTypes: relaySettingsShape.unknownContentTypes.exactOptional(),
    unencryptableErrors: relaySettingsShape.unencryptableErrors.exactOptional(),
    unmatched: relaySettingsShape.unmatched.exactOptional(),
    passContentTypes: relaySettingsShape.passContentTypes.exactOptional(),
    rewriteLocations: relaySettingsShape.rewriteLocations.exactOptional(),
    forwardedHeaders: relaySettingsShape.forwardedHeaders.exactOptional(),
    serverTiming: relaySettingsShape.serverTiming.exactOptional(),
    clientCertificate: clientCertificateSchema.nullable().exactOptional().describe("Null removes it"),
  })
  .refine((changes) => Object.keys(changes).length > 0, "At least one field is required")
  .meta({ id: "RelayChanges" })

export const updateRelay = endpoint({
  id: "update-relay",
  method: "PATCH",
  path: "/relays/{relay_id}",
  tag: "Relays",
  summary: "Change a relay",
  description:
    "Fields that are not sent stay unchanged; fields that are sent, including `routes`, are replaced as a whole. The destination cannot be changed: create another relay instead.",
  auth: [apiKey("relay:update")],
  reveals: "nothing",
  writes: true,
  request: {
    path: relayPathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_RELAY_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: relaySchema, description: "The relay" },
  errors: ["not-found", "conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:PutItem/config",
    "dynamodb:Query/keys",
    "kms:Decrypt/secret",
    ...EDGE_ATTACH_GRANTS,
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, path, body, caller }, dependencies: RelayDependencies) {
    const changed = await changeRelay(dependencies, app, path.relay_id, body, authorOf(caller))
    return { body: showRelay(changed, dependencies.wallClock()) }
  },
})
