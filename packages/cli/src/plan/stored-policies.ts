import * as z from "zod"
import { listAll } from "../service/list-pages.ts"
import type { ServiceClient } from "../service/service-client.ts"
import type { StoredPolicySet } from "./plan-policy-set.ts"

export const ROLES_PATH = ["data-roles"]
export const POLICIES_PATH = ["data-policies"]

const storedRoleSchema = z.object({
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  archived: z.boolean(),
  accessLog: z.enum(["standard", "strict"]).default("standard"),
})

const storedPolicySchema = z.object({
  id: z.string(),
  name: z.string(),
  effect: z.enum(["permit", "forbid"]),
  roles: z.array(z.string()),
  conditions: z.unknown().optional(),
  cedar: z.string().nullish(),
})

/** Reads the app's roles and policies from the service. */
export async function readStoredPolicies(service: ServiceClient): Promise<StoredPolicySet> {
  const roles = await listAll(service, ROLES_PATH, storedRoleSchema)
  const policies = await listAll(service, POLICIES_PATH, storedPolicySchema)
  return {
    roles,
    policies: policies.map(({ cedar, ...policy }) => ({ ...policy, cedar: cedar ?? undefined })),
  }
}
