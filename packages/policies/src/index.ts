export type { AccessLogMode } from "./access-log-mode.ts"
export type { Conditions, Source } from "./conditions.ts"
export type { DataPolicy } from "./data-policy.ts"
export type { DataRole } from "./data-role.ts"
export {
  createDataRoles,
  type DataRoles,
  type DataRolesDependencies,
  DECISION_GRANTS,
  USE_GRANTS,
} from "./data-roles.ts"
export type { Decision, DecisionContext, DecisionReason, RoleRequest } from "./decision.ts"
export { createPolicyDependencies, type PolicyDependencies } from "./dependencies.ts"
export { policyEndpoints } from "./endpoints/index.ts"
