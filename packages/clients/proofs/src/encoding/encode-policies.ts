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

/** The policies of a role, encoded. */
export interface EncodedPolicy extends Condition {
  readonly effect: "permit" | "forbid"
}

/**
 * The requests that policies permit, by the three steps of the service: none for which a policy fails or forbids, and
 * those that one permits.
 */
export function permittedBy(policies: readonly EncodedPolicy[]): Term {
  const holding = (effect: EncodedPolicy["effect"]) =>
    or(...policies.filter((policy) => policy.effect === effect).map(({ holds }) => holds))
  const failing = or(...policies.map(({ error }) => error))
  return and(not(failing), not(holding("forbid")), holding("permit"))
}
