import type { PolicyJson } from "@cedar-policy/cedar-wasm/nodejs"
import { and, FALSE, not, or, type Term, TRUE } from "../smt/terms.ts"
import type { Condition, ExpressionEncoder } from "./encode-expression.ts"
import type { Expr } from "./node.ts"

/** Encodes a policy: its scope, then its conditions, each only where those before it hold. */
export function encodePolicy(encoder: ExpressionEncoder, policy: PolicyJson): Condition {
  const { principal, action, resource, conditions } = policy
  const parts: readonly Expr[] = [
    ...scopeOf("principal", principal),
    ...scopeOf("action", action),
    ...scopeOf("resource", resource),
    ...conditions.map(({ kind, body }): Expr => (kind === "when" ? body : { "!": { arg: body } })),
  ]
  let [error, holds]: [Term, Term] = [FALSE, TRUE]
  for (const part of parts) {
    const next = encoder.condition(part)
    error = or(error, and(holds, next.error))
    holds = and(holds, next.holds)
  }
  return { error, holds }
}

type Scope = PolicyJson["principal"] | PolicyJson["action"] | PolicyJson["resource"]

/** A scope as conditions: none for all. */
function scopeOf(name: "principal" | "action" | "resource", scope: Scope): Expr[] {
  const subject: Expr = { Var: name }
  const entities = "entity" in scope ? [scope.entity] : "entities" in scope ? scope.entities : []
  const isIn = (places: readonly Expr[]): Expr => ({ in: { left: subject, right: { Set: [...places] } } })
  const values = entities.map((entity): Expr => {
    const { type, id } = "__entity" in entity ? entity.__entity : entity
    return { Value: { __entity: { type, id } } }
  })
  // A template's slot has no form.
  if (scope.op !== "All" && "slot" in scope) return [{ slot: [] }]
  switch (scope.op) {
    case "All":
      return []
    case "==":
    case "in":
      return [isIn(values)]
    case "is": {
      const isOfType: Expr = { is: { left: subject, entity_type: scope.entity_type } }
      return "in" in scope && scope.in ? [isOfType, { "in place": [] }] : [isOfType]
    }
  }
}

/** A policy of a role, encoded for both actions. */
export interface EncodedPolicy {
  readonly effect: "permit" | "forbid"
  readonly full: Condition
  readonly masked: Condition
}

/**
 * The requests that policies permit. Full values by the three steps of the service: none for which a policy fails or
 * forbids, and those that one permits. Where full values are refused, but not because a policy failed, the same decides on
 * masks.
 *
 * @param takesMask the requests that take a mask; false for a role without one
 */
export function permittedBy(policies: readonly EncodedPolicy[], takesMask: Term): Term {
  const full = permittedFor(policies, "full")
  if (policies.every((policy) => policy.full === policy.masked)) return full
  const isForbidden = or(
    ...policies.flatMap((each) => (each.effect === "forbid" ? [appliesFor(each.full)] : [])),
  )
  const isFailing = and(or(...policies.map((policy) => policy.full.error)), not(isForbidden))
  return or(full, and(takesMask, not(isFailing), permittedFor(policies, "masked")))
}

function permittedFor(policies: readonly EncodedPolicy[], reveal: "full" | "masked"): Term {
  const holding = (effect: EncodedPolicy["effect"]) =>
    or(...policies.flatMap((policy) => (policy.effect === effect ? [policy[reveal].holds] : [])))
  const failing = or(...policies.map((policy) => policy[reveal].error))
  return and(not(failing), not(holding("forbid")), holding("permit"))
}

/** Where a condition is true. */
export function appliesFor({ error, holds }: Condition): Term {
  return and(not(error), holds)
}
