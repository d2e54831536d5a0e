import type { RecordOf } from "@sealway/platform"
import * as z from "zod"
import { conditionsSchema } from "./conditions.ts"

/** A rule attached to data roles, that permits or forbids decrypting their values. */
export const dataPolicySchema = z.object({
  /** `policy_…` */
  id: z.string(),
  name: z.string(),
  effect: z.enum(["permit", "forbid"]),
  /**
   * The roles it is attached to. It is the id that counts: a role that was deleted and made again under its old slug
   * does not come back to its policies.
   */
  roles: z.array(z.object({ id: z.string(), slug: z.string() })),
  /** All that are given must hold. Null where `cedar` says it. */
  conditions: conditionsSchema.nullable(),
  /** One policy in Cedar's language. Null where `conditions` say it. */
  cedar: z.string().nullable(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** Epoch milliseconds. */
  updatedAt: z.number(),
  revision: z.number(),
})

export type DataPolicy = RecordOf<typeof dataPolicySchema>
export type Effect = DataPolicy["effect"]

/** What a policy says. */
export type PolicyRule = Pick<DataPolicy, "effect" | "conditions" | "cedar">

/** A policy that can be evaluated. */
export type NamedRule = PolicyRule & Pick<DataPolicy, "id" | "name">

/** Policies an app may have. */
export const MAX_POLICIES = 500

/** Policies a role may have; each decision evaluates all of them. */
export const MAX_POLICIES_PER_ROLE = 100

/** Roles a policy may be attached to. */
export const MAX_ROLES_PER_POLICY = 50

/** The size of a policy as it is sent, in bytes of JSON. */
export const MAX_POLICY_BYTES = 10 * 1024
