import type { RecordOf } from "@sealway/ports"
import * as z from "zod"
import { conditionsSchema } from "./conditions.ts"
import { REVEAL_LEVELS } from "./reveal.ts"

/** A rule attached to data roles that permits or forbids decrypting their values. */
export const dataPolicySchema = z.lazy(() =>
  z.object({
    /** `policy_…` */
    id: z.string(),
    name: z.string(),
    effect: z.enum(["permit", "forbid"]),
    /**
     * The roles it is attached to. The id counts: a role that was deleted and created again with the same slug does not
     * get its policies back.
     */
    roles: z.array(z.object({ id: z.string(), slug: z.string() })),
    /**
     * What it is about: a policy that permits full values permits masks of them too. Absent: `full` for a policy that
     * permits, both for one that forbids, and what its action says for one in Cedar.
     */
    reveal: z.enum(REVEAL_LEVELS).optional(),
    /** Whether it permits only requests that say why, with `X-Service-Reason`. Absent: it does not. */
    requiresReason: z.boolean().optional(),
    /** All given conditions must hold. Null when `cedar` is given instead. */
    conditions: conditionsSchema.nullable(),
    /** One policy in Cedar's language. Null when `conditions` are given instead. */
    cedar: z.string().nullable(),
    /** Epoch milliseconds. */
    createdAt: z.number(),
    /** Epoch milliseconds. */
    updatedAt: z.number(),
    revision: z.number(),
  }),
)

export type DataPolicy = RecordOf<typeof dataPolicySchema>
export type Effect = DataPolicy["effect"]

/** The rule of a policy. */
export type PolicyRule = Pick<DataPolicy, "effect" | "reveal" | "requiresReason" | "conditions" | "cedar">

/** A policy that can be evaluated. */
export type NamedRule = PolicyRule & Pick<DataPolicy, "id" | "name">

/** The maximum number of policies of an app. */
export const MAX_POLICIES = 500

/** The maximum number of policies of a role. Each decision evaluates all of them. */
export const MAX_POLICIES_PER_ROLE = 100

/** The maximum number of roles that a policy is attached to. */
export const MAX_ROLES_PER_POLICY = 50

/** The maximum size of a policy in a request, in bytes of JSON. */
export const MAX_POLICY_BYTES = 10 * 1024
