import * as z from "zod"
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi"
import { CONNECTOR_OPERATIONS, connectorEventSchema } from "./protocol.ts"

/** The version of the protocol: incremented by each change that concerns connectors. */
const PROTOCOL_VERSION = "1.0.0"

const headersSchema = z.object({
  "x-service-app-id": z.string().describe("Id of the app that is asked for"),
  "idempotency-key": z.string().describe("Names the request in all its attempts: answer each as the first"),
  "webhook-id": z.string().describe("The same"),
  "webhook-timestamp": z.string().describe("Epoch seconds; refuse what is more than five minutes off"),
  "webhook-signature": z
    .string()
    .describe(
      "`v1,` and a signature, for each secret in force, separated by blanks; one that is right will do",
    ),
})

const REFUSALS = {
  401: { description: "The signature is not that of a secret in force" },
  503: { description: "Try again shortly. So are 408, 429, 500, 502 and 504 understood" },
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
            description: "The answer, 64 KB at most where nothing else is said. Unknown members are refused",
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
        "What a processor's connector answers to Sealway for the card networks. Requests come over mutual TLS and are signed by the Standard Webhooks scheme with the connector's signing secret. An answer must come within 10 seconds. Enrolments that are decided later, and the results of challenges of 3-D Secure, are told by `POST /payments/connector-events` of Sealway, with a `ConnectorEvent` that is signed by the same secret and names the app by `X-Service-App-Id`.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      { url: "https://connector.example.com", description: "The URL that the connector is set with" },
    ],
    paths,
    components: {
      schemas: { ConnectorEvent: connectorEventSchema },
      securitySchemes: { MutualTls: { type: "mutualTLS" } },
    },
  })
}
