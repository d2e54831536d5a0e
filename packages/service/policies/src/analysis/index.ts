/** What tools that reason about policies need: the forms that Cedar evaluates, and Cedar itself. No service uses it. */

export { authorizationRequest, type Question } from "../cedar/authorization-request.ts"
export { type Cedar, instantiateCedar } from "../cedar/cedar.ts"
export { type CedarSession, createCedarSession } from "../cedar/cedar-session.ts"
export { compileConditions } from "../cedar/compile-conditions.ts"
export { compileRule, policyOf } from "../cedar/compile-rule.ts"
export { decideOutcome } from "../cedar/decide-outcome.ts"
export { MAX_TIME_ZONES, timeUseOf } from "../cedar/time-use.ts"
export { type Conditions, SOURCES, type Source } from "../rules/conditions.ts"
export type { ContextInput } from "../rules/context-input.ts"
export type { NamedRule } from "../rules/data-policy.ts"
export type { DecisionContext } from "../rules/decision.ts"
export { normalizeHost } from "../rules/host.ts"
export { type IpRange, parseIpRange } from "../rules/ip-address.ts"
export { isTimeZone, localTime } from "../rules/local-time.ts"
export { policySetOf } from "../rules/policy-set.ts"
export { type Explanation, explain } from "../trials/explain.ts"
export type {
  AccessQuestion,
  ChangeAnswer,
  ChangeDescription,
  ChangeQuestion,
  PolicyWarning,
  RequestKind,
  RequestPart,
  RequestsDescription,
} from "../trials/policy-prover.ts"
export { REQUEST_PARTS } from "../trials/policy-prover.ts"
