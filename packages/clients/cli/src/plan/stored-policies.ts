import { listDataPolicies, listDataRoles, type Transport } from "@sealway/sdk/api"
import type { StoredPolicySet } from "./plan-policy-set.ts"

/** Reads the app's roles and policies from the service. */
export async function readStoredPolicies(service: Transport): Promise<StoredPolicySet> {
  const roles = await Array.fromAsync(listDataRoles(service, { limit: 100 }))
  const policies = await Array.fromAsync(listDataPolicies(service, { limit: 100 }))
  return {
    roles: roles.map(({ slug, name, description, archived, accessLog, mask }) => ({
      slug,
      name,
      description,
      archived,
      accessLog,
      mask,
    })),
    policies: policies.map(
      ({ id, name, effect, reveal, requiresReason, roles: slugs, conditions, cedar }) => ({
        id,
        name,
        effect,
        reveal,
        requiresReason,
        roles: slugs,
        conditions,
        cedar: cedar ?? undefined,
      }),
    ),
  }
}
