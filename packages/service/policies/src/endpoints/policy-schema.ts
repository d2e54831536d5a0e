import { idParameter } from "@sealway/http"
import type { RecordOf } from "@sealway/ports"
import * as z from "zod"
import { conditionsSchema } from "../rules/conditions.ts"
import type { DataPolicy } from "../rules/data-policy.ts"
import { nameSchema, slugSchema } from "../rules/policy-input.ts"
import { REVEAL_LEVELS } from "../rules/reveal.ts"

export const policySchema = z
  .object({
    id: z.string(),
    name: nameSchema,
    effect: z.enum(["permit", "forbid"]),
    roles: z.array(slugSchema),
    reveal: z
      .enum(REVEAL_LEVELS)
      .nullable()
      .describe("Whether it is about `full` values or `masked` ones. Null: the default of its effect"),
    requiresReason: z.boolean().describe("Whether it permits only requests with `X-Service-Reason`"),
    conditions: conditionsSchema.nullable().describe("Null for a policy written in Cedar"),
    cedar: z.string().nullable().describe("Null for a policy with conditions"),
    createdAt: z.int().describe("Epoch milliseconds"),
    updatedAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "DataPolicy" })

export const policyPathSchema = z.object({ policy_id: idParameter("policy", "Id of the data policy") })

export function showPolicy(policy: DataPolicy): RecordOf<typeof policySchema> {
  const {
    id,
    name,
    effect,
    reveal = null,
    requiresReason = false,
    conditions,
    cedar,
    createdAt,
    updatedAt,
  } = policy
  const roles = policy.roles.map(({ slug }) => slug)
  return { id, name, effect, roles, reveal, requiresReason, conditions, cedar, createdAt, updatedAt }
}
