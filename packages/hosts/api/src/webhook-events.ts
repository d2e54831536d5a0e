import { PAYMENT_EVENT_SCHEMAS } from "@sealway/payments/event-schemas"
import { auditRecordSchema } from "@sealway/records/audit-chain"
import type { NamedEvent } from "@sealway/records/event-types"
import * as z from "zod"

const timeSchema = z.int().describe("Epoch milliseconds")

const deploymentSchema = z
  .object({
    function: z.string().describe("Name of the function"),
    functionId: z.string(),
    deployment: z.int().describe("Counts the deployments of the function, from 1"),
    status: z.string(),
    error: z.string().nullable().describe("Why it failed"),
  })
  .meta({ id: "FunctionDeploymentChange" })

/** The data of each event that the service publishes. */
export const EVENT_SCHEMAS: Readonly<Record<NamedEvent, z.ZodType>> = {
  ...PAYMENT_EVENT_SCHEMAS,
  "function.run.completed": z
    .object({
      run: z.string().describe("Id of the run"),
      function: z.string().describe("Name of the function"),
      status: z.enum(["success", "failure"]),
      createdAt: timeSchema,
      completedAt: timeSchema,
    })
    .meta({ id: "CompletedFunctionRun" }),
  "function.deployment.started": deploymentSchema,
  "function.deployment.updated": deploymentSchema,
  "function.deployment.finished": deploymentSchema,
  "relay.error": z
    .object({
      relayUuid: z.string(),
      teamUuid: z.string(),
      errorMessage: z.string(),
      evMessage: z.string(),
      activityLink: z.string().describe("Leads to the request"),
      timestamp: timeSchema,
      errorType: z.string().describe("The relay's error code"),
      statusCode: z.int(),
      statusGroup: z.string().describe("4XX or 5XX"),
      inboundDomain: z.string(),
    })
    .meta({ id: "RelayError" }),
  "audit-log.event": auditRecordSchema,
  "honey-token.touched": z
    .object({
      honeyToken: z.object({ id: z.string(), name: z.string(), role: z.string().nullable() }),
      touch: z.string().describe("Id of the touch"),
      actor: z.looseObject({ type: z.string() }).nullable(),
      way: z
        .record(z.string(), z.unknown())
        .describe("How it was tried: by an endpoint, a relay, a function"),
      ip: z.string().nullable(),
      requestId: z.string().nullable(),
      at: timeSchema,
    })
    .meta({ id: "HoneyTokenTouched" }),
}
