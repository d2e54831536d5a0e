import type { Endpoint } from "@sealway/http"
import type { PolicyDependencies } from "../dependencies.ts"
import { analyzePolicies } from "./analyze-data-policies.ts"
import { createPolicy } from "./create-data-policy.ts"
import { createRole } from "./create-data-role.ts"
import { deletePolicy, getPolicy, listPolicies } from "./data-policies.ts"
import { getRole, listRoles } from "./data-roles.ts"
import { deleteRole } from "./delete-data-role.ts"
import { explainPolicies } from "./explain-data-policies.ts"
import { getPolicySchema } from "./get-data-policy-schema.ts"
import { getRoleAccess } from "./get-data-role-access.ts"
import { simulatePolicies } from "./simulate-data-policies.ts"
import { updatePolicy } from "./update-data-policy.ts"
import { updateRole } from "./update-data-role.ts"

export const policyEndpoints: readonly Endpoint<PolicyDependencies>[] = [
  createRole,
  listRoles,
  getRole,
  getRoleAccess,
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
  analyzePolicies,
]
