import { createdAtSchema, showTimes, updatedAtSchema } from "@sealway/bins"
import { idParameter } from "@sealway/http"
import * as z from "zod"
import type { Connector } from "../networks/connector/connector.ts"

export const connectorPathSchema = z.object({ app_id: idParameter("app", "Id of the app") })

const certificateSchema = z.object({
  fingerprint: z.string().describe("SHA-256 of its DER, hex"),
  expiresAt: z.int().describe("Epoch milliseconds"),
  subject: z.string(),
})

const connectorFields = {
  url: z.string(),
  clientCertificate: certificateSchema,
  caCertificate: certificateSchema.nullable().describe("Null for a public certificate authority"),
  createdAt: createdAtSchema,
  updatedAt: updatedAtSchema,
}

/** A connector as the API returns it: never with its private key, its password or a secret. */
export const connectorSchema = z.object(connectorFields).meta({ id: "Connector" })

const secretSchema = z.string().describe("Signs requests both ways. Shown only once: store it now")

export const connectorSetSchema = z
  .object({ ...connectorFields, signingSecret: secretSchema.exactOptional() })
  .meta({ id: "ConnectorSet" })

export const connectorWithSecretSchema = z
  .object({ ...connectorFields, signingSecret: secretSchema })
  .meta({ id: "ConnectorWithSecret" })

export function showConnector({ url, clientCertificate, caCertificate, ...times }: Connector) {
  return { url, clientCertificate, caCertificate, ...showTimes(times) }
}
