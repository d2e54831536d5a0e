import type { Endpoint } from "@sealway/http"
import type { PolicyDependencies } from "../dependencies.ts"
import { createPolicy } from "./create-data-policy.ts"
import { createRole } from "./create-data-role.ts"
import { deletePolicy } from "./delete-data-policy.ts"
import { deleteRole } from "./delete-data-role.ts"
import { explainPolicies } from "./explain-data-policies.ts"
import { getPolicy } from "./get-data-policy.ts"
import { getPolicySchema } from "./get-data-policy-schema.ts"
import { getRole } from "./get-data-role.ts"
import { listPolicies } from "./list-data-policies.ts"
import { listRoles } from "./list-data-roles.ts"
import { simulatePolicies } from "./simulate-data-policies.ts"
import { updatePolicy } from "./update-data-policy.ts"
import { updateRole } from "./update-data-role.ts"

export const policyEndpoints: readonly Endpoint<PolicyDependencies>[] = [
  createRole,
  listRoles,
  getRole,
  updateRole,
  deleteRole,
  createPolicy,
  listPolicies,
  getPolicySchema,
  getPolicy,
  updatePolicy,
  deletePolicy,
  explainPolicies,
  simulatePolicies,
]
