import * as z from "zod"
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi"
import { CONNECTOR_OPERATIONS, connectorEventSchema } from "./protocol.ts"

/** The version of the protocol: incremented by each change that concerns connectors. */
const PROTOCOL_VERSION = "1.0.0"

const headersSchema = z.object({
  "x-service-app-id": z.string().describe("Id of the app that the request is for"),
  "idempotency-key": z
    .string()
    .describe("Same id in all attempts of a request: answer a retry like the first attempt"),
  "webhook-id": z.string().describe("The same"),
  "webhook-timestamp": z
    .string()
    .describe("Epoch seconds. Refuse requests that are more than five minutes off"),
  "webhook-signature": z
    .string()
    .describe(
      "`v1,` and a signature for each active secret, separated by spaces. One valid signature is enough",
    ),
})

const REFUSALS = {
  401: { description: "No signature is valid for an active secret" },
  503: { description: "Sealway retries shortly. The same goes for 408, 429, 500, 502 and 504" },
}

/** Creates the OpenAPI 3.1 document for connectors, from the schemas that their answers must match. */
export function createConnectorDocument(): object {
  const paths: ZodOpenApiPathsObject = {}
  for (const [id, { path, summary, request, answer }] of Object.entries(CONNECTOR_OPERATIONS)) {
    paths[path] = {
      post: {
        operationId: id,
        summary,
        security: [{ MutualTls: [] }],
        requestParams: { header: headersSchema },
        requestBody: { required: true, content: { "application/json": { schema: request } } },
        responses: {
          200: {
            description: "The response, up to 64 KB unless stated otherwise. Unknown fields are refused",
            content: { "application/json": { schema: answer } },
          },
          ...REFUSALS,
        },
      },
    }
  }
  return createDocument({
    openapi: "3.1.1",
    info: {
      title: "Sealway connector",
      version: PROTOCOL_VERSION,
      description:
        "The API that a processor's connector implements so that Sealway can reach the card networks. Requests use mutual TLS and are signed by the Standard Webhooks scheme with the connector's signing secret. The connector must respond within 10 seconds. To report enrolments that are decided later, and results of 3-D Secure challenges, it calls Sealway's `POST /payments/connector-events` with a `ConnectorEvent`, signed with the same secret and with the app's id in `X-Service-App-Id`.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "https://connector.example.com", description: "The connector's configured URL" }],
    paths,
    components: {
      schemas: { ConnectorEvent: connectorEventSchema },
      securitySchemes: { MutualTls: { type: "mutualTLS" } },
    },
  })
}
