import { setImmediate } from "node:timers/promises"
import { apiKey, endpoint } from "@sealway/http"
import { MB } from "@sealway/kernel"
import * as z from "zod"
import type { PolicyEngine } from "../cedar/policy-engine.ts"
import type { PolicyDependencies } from "../dependencies.ts"
import { refuseUnfitCedar } from "../management/manage-policies.ts"
import { readPolicyBook } from "../records/policy-book.ts"
import { budgetSchema } from "../rules/conditions.ts"
import { contextInputSchema, decisionContextOf, timeOf } from "../rules/context-input.ts"
import { MAX_POLICIES_PER_ROLE, type NamedRule } from "../rules/data-policy.ts"
import { VERDICT_REASONS } from "../rules/decision.ts"
import { policyInputSchema, slugSchema } from "../rules/policy-input.ts"
import { policySetOf } from "../rules/policy-set.ts"
import { OUTCOMES, REVEAL_LEVELS } from "../rules/reveal.ts"
import { explain } from "../trials/explain.ts"
import { proposedRules } from "../trials/proposed-rules.ts"

const MAX_BYTES = MB

const requestSchema = z.strictObject({
  role: slugSchema,
  context: contextInputSchema.prefault({}),
  policies: z
    .array(policyInputSchema)
    .max(MAX_POLICIES_PER_ROLE)
    .optional()
    .describe(
      "Policies to try instead of the saved ones. Policies that are not attached to the role are ignored",
    ),
  showCedar: z
    .boolean()
    .default(false)
    .describe("Whether to return each policy in Cedar too. Default: false"),
})

const replySchema = z
  .object({
    decision: z.enum(OUTCOMES),
    reason: z.enum(VERDICT_REASONS),
    dependsOnTime: z
      .boolean()
      .describe("Whether the policies check the time. If so, a context without a time is decided as of now"),
    policies: z.array(
      z.object({
        id: z.string().nullable().describe("Null for an unsaved policy"),
        name: z.string(),
        effect: z.enum(["permit", "forbid"]),
        reveal: z.enum(REVEAL_LEVELS).nullable(),
        requiresReason: z.boolean().describe("Whether it permits only requests with a reason"),
        matched: z.boolean().describe("Whether the policy applies, to full values or to masks"),
        decided: z.boolean().describe("Whether this policy decides"),
        failedConditions: z
          .array(z.string())
          .describe("Conditions that fail, such as `time.daily`, or `cedar`"),
        budget: budgetSchema.nullable().describe("The explanation neither checks nor spends the budget"),
        cedar: z
          .string()
          .exactOptional()
          .describe(
            "With `showCedar`: the policy in Cedar, as conditions compile to it. A budget is no part of it, because Cedar does not count",
          ),
      }),
    ),
  })
  .meta({ id: "DataPolicyExplanation" })

export const explainPolicies = endpoint({
  id: "explain-data-policies",
  method: "POST",
  path: "/data-policies/explain",
  tag: "Data policies",
  summary: "Explain a decision",
  description:
    "Returns the decision for a role in a context, the policies that cause it, and the failed conditions of the others. Nothing is decrypted, counted or recorded.",
  auth: [apiKey("dataPolicy:read")],
  reveals: "nothing",
  request: { body: { kind: "object", schema: requestSchema, maxBytes: MAX_BYTES } },
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "The decision, and each policy's result" },
  errors: [],
  grants: ["dynamodb:Query/config"],
  async answer({ principal: { app }, body }, dependencies: PolicyDependencies) {
    const { role, context, policies: proposed, showCedar } = body
    await refuseUnfitCedar(dependencies, proposed ?? [], (index) => `/policies/${index}`)
    const book = await readPolicyBook(dependencies.configTable, app.id)
    const saved = book.role(role)
    const rules = proposed ? proposedRules(proposed, role) : saved && book.policiesOf(saved).rules
    if (rules === null) {
      const none = { dependsOnTime: false, policies: [] }
      return { body: { decision: "deny" as const, reason: "unknown-role" as const, ...none } }
    }

    const timeMs = timeOf(context) ?? dependencies.wallClock()
    const question = { appId: app.id, role, context: decisionContextOf(context), timeMs }
    const { engine } = dependencies.cedarSession
    const { decision, reason, policies } = await explain(
      engine,
      rules,
      question,
      saved !== null && saved.mask !== null,
    )
    const texts = showCedar ? await textsOf(engine, rules) : []
    const shown = policies.map((policy, index) => {
      const cedar = texts[index] ?? null
      return {
        ...policy,
        id: proposed ? null : policy.id,
        failedConditions: [...policy.failedConditions],
        ...(cedar !== null && { cedar }),
      }
    })
    const dependsOnTime = engine.dependsOnTime(policySetOf(rules))
    return { body: { decision, reason, dependsOnTime, policies: shown } }
  },
})

/** Yields to others between policies. */
async function textsOf(
  engine: PolicyEngine,
  rules: readonly NamedRule[],
): Promise<readonly (string | null)[]> {
  const texts: (string | null)[] = []
  for (const rule of rules) {
    await setImmediate()
    texts.push(engine.textOf(rule))
  }
  return texts
}
