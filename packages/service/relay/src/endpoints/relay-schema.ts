import { idParameter } from "@sealway/http"
import { type Action, optionsOf, type Route, SELECTION_TYPES } from "@sealway/relay-engine"
import * as z from "zod"
import { DOMAIN_STATUSES } from "../edge/relay-edge.ts"
import { actionShape, destinationDomainSchema, relaySettingsShape } from "../management/relay-input.ts"
import { RELAY_WARNINGS, warningsOf } from "../management/relay-warnings.ts"
import type { ListedRelay } from "../records/relay-table.ts"

export const relayPathSchema = z.object({ relay_id: idParameter("relay", "Id of the relay") })

const shownActionSchema = z
  .object({
    action: actionShape.action,
    dataSubject: actionShape.dataSubject,
    selections: z.array(
      z.object({
        type: z.enum(SELECTION_TYPES),
        selector: z.string(),
        namespaces: z.record(z.string(), z.string()).exactOptional(),
        role: z.string().exactOptional().describe("Data role to encrypt with; absent for none"),
      }),
    ),
  })
  .meta({ id: "ShownAction" })

const shownRouteSchema = z
  .object({
    method: z.string().exactOptional().describe("Absent: every method"),
    path: z.string(),
    request: z.array(shownActionSchema),
    response: z.array(shownActionSchema),
  })
  .meta({ id: "ShownRoute" })

export const relaySchema = z
  .object({
    id: z.string(),
    app: z.string().describe("Id of the app"),
    destinationDomain: destinationDomainSchema,
    relayDomain: z
      .string()
      .describe(
        "Send requests to this domain. To stay in one region, insert `us` or `eu` after the app's label: `api-example-com.app-….eu.relay.example.com`",
      ),
    domainStatus: z
      .enum(DOMAIN_STATUSES)
      .describe("Whether requests to the relay's domain reach it. Updating the relay retries after `failed`"),
    ...relaySettingsShape,
    routes: z.array(shownRouteSchema),
    clientCertificate: z
      .object({
        format: z.enum(["pem", "pkcs12"]),
        subject: z.string(),
        fingerprint: z.string().describe("SHA-256 of the certificate, hex"),
        expiresAt: z.int().describe("Epoch milliseconds"),
      })
      .nullable()
      .describe("Presented to the destination. The private key is never returned"),
    warnings: z
      .array(
        z.object({
          code: z.enum(RELAY_WARNINGS),
          pointer: z.string().describe("JSON Pointer into the relay"),
          detail: z.string(),
        }),
      )
      .describe("Warnings about settings that are allowed but risky"),
    createdAt: z.int().describe("Epoch milliseconds"),
    updatedAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "Relay" })

/** @param nowMs epoch milliseconds */
export function showRelay({ relay, domainStatus }: ListedRelay, nowMs: number): z.infer<typeof relaySchema> {
  const { id, appId, destinationDomain, relayDomain, routes, clientCertificate } = relay
  const { authentication, rewriteLocations, forwardedHeaders, serverTiming, createdAt, updatedAt } = relay
  return {
    id,
    app: appId,
    destinationDomain,
    relayDomain,
    domainStatus,
    routes: routes.map(showRoute),
    ...optionsOf(relay),
    passContentTypes: [...relay.passContentTypes],
    authentication,
    rewriteLocations,
    forwardedHeaders,
    serverTiming,
    clientCertificate: clientCertificate && showCertificate(clientCertificate),
    warnings: [...warningsOf(relay, nowMs)],
    createdAt,
    updatedAt,
  }
}

type ShownRelay = z.infer<typeof relaySchema>

function showRoute({ method, path, request, response }: Route): ShownRelay["routes"][number] {
  return {
    ...(method !== null && { method }),
    path,
    request: request.map(showAction),
    response: response.map(showAction),
  }
}

function showAction({ action, dataSubject, selections }: Action) {
  return {
    action,
    ...(dataSubject !== undefined && { dataSubject: { ...dataSubject } }),
    selections: selections.map(({ type, selector, namespaces, role }) => ({
      type,
      selector,
      ...(namespaces !== undefined && { namespaces: { ...namespaces } }),
      ...(role !== null && { role }),
    })),
  }
}

function showCertificate({
  format,
  subject,
  fingerprint,
  expiresAt,
}: NonNullable<ListedRelay["relay"]["clientCertificate"]>) {
  return { format, subject, fingerprint, expiresAt }
}
