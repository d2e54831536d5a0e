export {
  createDataRoles,
  type DataRoles,
  type DataRolesDependencies,
  DECISION_GRANTS,
  USE_GRANTS,
} from "./deciding/data-roles.ts"
export { requireUsableRole } from "./deciding/require-usable-role.ts"
export { createPolicyDependencies, type PolicyDependencies } from "./dependencies.ts"
export { policyEndpoints } from "./endpoints/index.ts"
export type { AccessLogMode } from "./rules/access-log-mode.ts"
export {
  type Conditions,
  type EnclavePcrs,
  enclavePcrsSchema,
  namesImage,
  type Source,
} from "./rules/conditions.ts"
export type { DataPolicy } from "./rules/data-policy.ts"
export type { DataRole } from "./rules/data-role.ts"
export type { Decision, DecisionContext, DecisionReason, RoleRequest } from "./rules/decision.ts"
export { REVEAL_LEVELS, type RevealMode } from "./rules/reveal.ts"
export type {
  AccessQuestion,
  ChangeAnswer,
  ChangeQuestion,
  PolicyProver,
  Proved,
  RequestsDescription,
} from "./trials/policy-prover.ts"
