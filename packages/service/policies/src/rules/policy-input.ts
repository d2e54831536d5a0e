import { LINES, LINES_RULE, ONE_LINE, ONE_LINE_RULE } from "@sealway/kernel"
import type { RecordOf } from "@sealway/ports"
import { ROLE_SLUG } from "@sealway/tokens"
import * as z from "zod"
import { ACCESS_LOG_MODES } from "./access-log-mode.ts"
import { type Conditions, conditionsSchema, hostSchema, isDestinationHost, namesImage } from "./conditions.ts"
import { MAX_POLICY_BYTES, MAX_ROLES_PER_POLICY, type PolicyRule } from "./data-policy.ts"
import { REVEAL_LEVELS } from "./reveal.ts"

/** A label for people. It is never compared. */
export const nameSchema = z.string().min(1).max(100).regex(ONE_LINE, ONE_LINE_RULE)

export const descriptionSchema = z.string().max(1_000).regex(LINES, LINES_RULE)

export const slugSchema = z
  .string()
  .regex(ROLE_SLUG, "A slug must be 1 to 20 characters from a-z, 0-9 and -")
  .describe("1 to 20 characters from a-z, 0-9 and -")

export const accessLogSchema = z
  .enum(ACCESS_LOG_MODES)
  .describe(
    "`strict`: the audit log records each decryption of the role's values before they are returned; if it cannot, the decryption is refused with 503",
  )

/** The fields of a policy in a request, each checked alone. `policyProblems` checks them together. */
export const policyShape = {
  name: nameSchema,
  effect: z.enum(["permit", "forbid"]),
  roles: z
    .array(slugSchema)
    .min(1)
    .max(MAX_ROLES_PER_POLICY)
    .refine((roles) => new Set(roles).size === roles.length, "A role is listed twice")
    .describe("Slugs of the data roles that the policy applies to"),
  conditions: conditionsSchema
    .optional()
    .describe("All given conditions must hold. An empty object, `{}`, applies to every decryption"),
  reveal: z
    .enum(REVEAL_LEVELS)
    .nullish()
    .describe(
      "What the policy is about: `full` values or `masked` ones, which look as the `mask` of the role says. A policy that permits full values permits masks too. Null, the default: `full` for a policy that permits; both for one that forbids; a policy in Cedar names the action `Decrypt` or `Mask`, or neither for both",
    ),
  requiresReason: z
    .boolean()
    .optional()
    .describe(
      "Whether the policy permits only requests with the header `X-Service-Reason`, which the access log keeps. For policies that permit. Default: false",
    ),
  cedar: z
    .string()
    .min(1)
    .max(MAX_POLICY_BYTES)
    .optional()
    .describe(
      "Instead of `conditions`: one policy in the Cedar language, for the schema at /data-policies/schema",
    ),
}

/** A policy in a request. */
export const policyInputSchema = z
  .strictObject(policyShape)
  .superRefine((input, context) => {
    for (const { path, message } of policyProblems(input)) {
      context.addIssue({ code: "custom", path: [...path], message })
    }
  })
  .meta({ id: "DataPolicyInput" })

export type PolicyInput = RecordOf<typeof policyInputSchema>

interface PolicyProblem {
  readonly path: readonly string[]
  readonly message: string
}

type RuleInput = Pick<PolicyInput, "effect" | "reveal" | "requiresReason" | "conditions" | "cedar">

/** Finds problems between fields that are valid alone. */
export function policyProblems({
  effect,
  reveal,
  requiresReason,
  conditions,
  cedar,
}: RuleInput): readonly PolicyProblem[] {
  const problems: PolicyProblem[] = []
  // Forgotten conditions must not become a policy that always applies.
  if (conditions === undefined && cedar === undefined) {
    problems.push({ path: ["conditions"], message: "Either conditions or cedar is required" })
  }
  if (conditions !== undefined && cedar !== undefined) {
    problems.push({ path: ["cedar"], message: "A policy can have conditions or cedar, not both" })
  }
  if (cedar !== undefined && reveal) {
    problems.push({ path: ["reveal"], message: "A policy in Cedar names its action instead of `reveal`" })
  }
  // Anybody can have an image of his own attested: without PCRs, it would be permitted like any other.
  const permitsEnclaves = effect === "permit" && conditions !== undefined && isForEnclaves(conditions)
  if (permitsEnclaves && !namesImage(conditions.enclavePcrs)) {
    problems.push({
      path: ["conditions", "enclavePcrs"],
      message:
        "A policy that permits enclaves must name their image: pcr0, or pcr8 for all images of a signer",
    })
  }
  if (effect === "forbid" && conditions?.budget !== undefined) {
    problems.push({ path: ["conditions", "budget"], message: "Only a policy that permits can have a budget" })
  }
  if (effect === "forbid" && requiresReason) {
    problems.push({ path: ["requiresReason"], message: "Only a policy that permits can require a reason" })
  }
  for (const [index, host] of (conditions?.relayDestinations ?? []).entries()) {
    // What the field alone refuses is told already.
    if (isDestinationHost(host) || !hostSchema.safeParse(host).success) continue
    problems.push({
      path: ["conditions", "relayDestinations", String(index)],
      message: "Not a valid host name or IP address",
    })
  }
  return problems
}

/** Whether conditions may hold for an enclave: they list that source, or none and PCRs, which only enclaves have. */
function isForEnclaves({ sources, enclavePcrs = {} }: Conditions): boolean {
  return sources?.includes("enclave") ?? Object.keys(enclavePcrs).length > 0
}

/** Extracts the rule of a policy in a request. */
export function ruleOf({ effect, reveal, requiresReason, conditions, cedar }: RuleInput): PolicyRule {
  return {
    effect,
    reveal: reveal ?? undefined,
    requiresReason,
    conditions: conditions ?? null,
    cedar: cedar ?? null,
  }
}
