import { apiKey, endpoint } from "@sealway/http"
import { MB, NotFoundError } from "@sealway/kernel"
import * as z from "zod"
import type { PolicyDependencies } from "../dependencies.ts"
import { refuseUnfitCedar } from "../management/manage-policies.ts"
import { readPolicyBook } from "../records/policy-book.ts"
import { MAX_POLICIES_PER_ROLE } from "../rules/data-policy.ts"
import { policyInputSchema, slugSchema } from "../rules/policy-input.ts"
import { WARNING_KINDS } from "../trials/policy-prover.ts"
import { proposedRules } from "../trials/proposed-rules.ts"
import {
  descriptionSchema,
  fromSchema,
  ONLY_ON_ONE_MACHINE,
  requireProver,
  showDescription,
} from "./description-schema.ts"

const MAX_BYTES = MB

const requestSchema = z.strictObject({
  role: slugSchema,
  policies: z
    .array(policyInputSchema)
    .max(MAX_POLICIES_PER_ROLE)
    .describe(
      "The complete set of the role's policies after the change, including unchanged ones. Policies that are not attached to the role are ignored",
    ),
})

const replySchema = z
  .object({
    permitted: descriptionSchema.describe(
      "The requests that the change permits, and the saved policies refuse",
    ),
    refused: descriptionSchema.describe(
      "The requests that the change refuses, and the saved policies permit",
    ),
    warnings: z
      .array(
        z.object({
          policy: z.string().nullable().describe("Name of the policy; null: it is about the role"),
          kind: z.enum(WARNING_KINDS),
          reason: z.string(),
        }),
      )
      .describe("What is probably a mistake in the policies after the change. Each is true of all requests"),
    from: fromSchema,
  })
  .meta({ id: "DataPolicyAnalysis" })

export const analyzePolicies = endpoint({
  id: "analyze-data-policies",
  method: "POST",
  path: "/data-policies/analyze",
  tag: "Data policies",
  summary: "Show what a change of policies means",
  description: `Returns what a change of a role's policies newly permits and newly refuses, proved for every possible request, and warnings about policies that do not do what they seem to. Nothing is saved. Budgets are not compared. What takes longer than 6 seconds is not known. ${ONLY_ON_ONE_MACHINE} plan\`.`,
  auth: [apiKey("dataPolicy:read")],
  reveals: "nothing",
  request: { body: { kind: "object", schema: requestSchema, maxBytes: MAX_BYTES } },
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "What the change means" },
  errors: ["not-found"],
  // They apply in the cloud, where it refuses every request.
  grants: [],
  async answer({ principal: { app }, body, task }, dependencies: PolicyDependencies) {
    const prover = requireProver(dependencies.prover)
    await refuseUnfitCedar(dependencies, body.policies, (index) => `/policies/${index}`)
    const book = await readPolicyBook(dependencies.configTable, app.id)
    const role = book.role(body.role)
    if (role === null) throw new NotFoundError("The data role")
    const before = book.policiesOf(role).rules
    const after = proposedRules(body.policies, body.role)
    const hasMask = role.mask !== null
    const question = { role: body.role, before, after, hasMask, nowMs: dependencies.wallClock() }
    const { permitted, refused, warnings, fromMs } = await prover.change(app.id, question, task)
    return {
      body: {
        permitted: showDescription(permitted),
        refused: showDescription(refused),
        warnings: warnings.map(({ policy, kind, reason }) => ({ policy, kind, reason })),
        from: fromMs,
      },
    }
  },
})
