import { apiKey, endpoint } from "@sealway/http"
import { MB } from "@sealway/kernel"
import * as z from "zod"
import type { PolicyDependencies } from "../dependencies.ts"
import { refuseUnfitCedar } from "../management/manage-policies.ts"
import { readDecisions } from "../records/decision-record-table.ts"
import { readPolicyBook } from "../records/policy-book.ts"
import { enclavePcrsSchema, SOURCES } from "../rules/conditions.ts"
import { MAX_POLICIES } from "../rules/data-policy.ts"
import { policyInputSchema, slugSchema } from "../rules/policy-input.ts"
import { type PolicySet, policySetOf } from "../rules/policy-set.ts"
import { OUTCOMES } from "../rules/reveal.ts"
import { proposedRules } from "../trials/proposed-rules.ts"
import { type SimulatedChange, simulate } from "../trials/simulate.ts"

const MAX_BYTES = 2 * MB
const MAX_HOURS = 168
const HOUR_MS = 60 * 60_000
const MAX_RECORDS = 20_000

const requestSchema = z.strictObject({
  hours: z.int().min(1).max(MAX_HOURS).describe("How far to look back"),
  role: slugSchema.optional().describe("Only decisions on this role. Default: all roles"),
  policies: z
    .array(policyInputSchema)
    .max(MAX_POLICIES)
    .describe("The complete set of policies to try, including unchanged ones"),
})

const replySchema = z
  .object({
    evaluated: z.int().describe("Number of decisions replayed"),
    truncated: z
      .boolean()
      .describe("Whether decisions or changes were left out. The newest decisions are replayed first"),
    changes: z
      .array(
        z.object({
          role: slugSchema,
          context: z.object({
            source: z.enum(SOURCES),
            ip: z.string().nullable(),
            apiKey: z.string().nullable(),
            function: z.string().nullable(),
            relayDestination: z.string().nullable(),
            hasReason: z.boolean(),
            enclavePcrs: enclavePcrsSchema.nullable(),
          }),
          count: z.int().describe("Number of decisions with this context"),
          firstAt: z.int().describe("Minute of the first such decision, in epoch milliseconds"),
          lastAt: z.int().describe("Minute of the last such decision, in epoch milliseconds"),
          before: z.enum(OUTCOMES),
          after: z.enum(OUTCOMES),
          policies: z.array(z.string()).describe("Names of the policies that would decide"),
        }),
      )
      .describe("Most frequent first"),
  })
  .meta({ id: "DataPolicySimulation" })

export const simulatePolicies = endpoint({
  id: "simulate-data-policies",
  method: "POST",
  path: "/data-policies/simulate",
  tag: "Data policies",
  summary: "Try policies on past decisions",
  description:
    "Replays the contexts of recent decisions against a set of policies, and returns the decisions that would change. Contexts are kept for 7 days and contain no decrypted data. The roles' masks are the saved ones. Budgets are not counted: a decision that only a budget refused counts as permitted.",
  auth: [apiKey("dataPolicy:read")],
  reveals: "nothing",
  request: { body: { kind: "object", schema: requestSchema, maxBytes: MAX_BYTES } },
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "What would change" },
  errors: [],
  grants: ["dynamodb:Query/config", "dynamodb:Query/events", "dynamodb:PutItem/events"],
  async answer({ principal: { app }, body }, dependencies: PolicyDependencies) {
    const { configTable, eventsTable, dataRoles, cedarSession, wallClock } = dependencies
    const { hours, role: only, policies } = body
    await refuseUnfitCedar(dependencies, policies, (index) => `/policies/${index}`)
    await dataRoles.flush()
    const sinceMs = wallClock() - hours * HOUR_MS
    const recorded = await readDecisions(eventsTable, app.id, sinceMs, MAX_RECORDS)
    const records = recorded.records.filter(({ role }) => only === undefined || role === only)

    const book = await readPolicyBook(configTable, app.id)
    const sets = new Map<string, PolicySet>()
    const setOf = (role: string): PolicySet => {
      const set = sets.get(role) ?? policySetOf(proposedRules(policies, role))
      sets.set(role, set)
      return set
    }
    const { evaluated, truncated, changes } = await simulate(cedarSession.engine, {
      appId: app.id,
      records,
      setOf,
      hasMask: (role) => (book.role(role)?.mask ?? null) !== null,
    })
    return {
      body: { evaluated, truncated: truncated || recorded.truncated, changes: changes.map(showChange) },
    }
  },
})

function showChange({ context, policies, ...change }: SimulatedChange) {
  return {
    ...change,
    policies: [...policies],
    context: {
      source: context.source,
      ip: context.ip,
      apiKey: context.apiKeyId,
      function: context.functionName ?? null,
      relayDestination: context.relayDestination ?? null,
      hasReason: context.hasReason ?? false,
      enclavePcrs: context.enclavePcrs ?? null,
    },
  }
}
