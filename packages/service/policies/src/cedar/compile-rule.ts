import type { Expr, Policy, PolicyJson } from "@cedar-policy/cedar-wasm/nodejs"
import type { PolicyRule } from "../rules/data-policy.ts"
import type { Cedar } from "./cedar.ts"
import { compileConditions } from "./compile-conditions.ts"
import { readRawPolicy } from "./raw-policy.ts"

/** A rule in the form that Cedar evaluates. */
export interface CompiledRule {
  /** The form that Cedar evaluates. A policy written as text stays text, because JSON would round its large numbers. */
  readonly policy: Policy
  /** The same as a tree, for inspection. */
  readonly tree: PolicyJson
  /** Its conditions, for explanations. Each is true or false. */
  readonly clauses: readonly { readonly name: string; readonly body: Expr }[]
}

/** Compiles a rule. @throws TypeError when the rule could not have been saved */
export function compileRule(
  cedar: Cedar,
  { effect, reveal, conditions, cedar: text }: PolicyRule,
): CompiledRule {
  if (text !== null) {
    const read = readRawPolicy(cedar, text)
    if (!read.ok || read.policy.effect !== effect)
      throw new TypeError("The rule is not a policy of its effect")
    return { policy: text, tree: read.policy, clauses: [] }
  }
  if (conditions === null) throw new TypeError("The rule says nothing")
  const clauses = compileConditions(conditions, effect)
  const tree = policyOf(
    effect,
    clauses.map(({ body }) => body),
    actionOf(effect, reveal),
  )
  return { policy: tree, tree, clauses }
}

/** Whoever may see values in full may see masks of them. A policy that forbids, and does not say what, forbids both. */
function actionOf(effect: PolicyRule["effect"], reveal: PolicyRule["reveal"]): PolicyJson["action"] {
  if (reveal === undefined || (effect === "permit" && reveal === "full")) return { op: "All" }
  return { op: "==", entity: { type: "Action", id: reveal === "full" ? "Decrypt" : "Mask" } }
}

/**
 * Builds a policy for any principal and resource: the policies of a role are only ever evaluated for that role.
 *
 * @param action default: any
 */
export function policyOf(
  effect: PolicyJson["effect"],
  bodies: readonly Expr[],
  action: PolicyJson["action"] = { op: "All" },
): PolicyJson {
  return {
    effect,
    principal: { op: "All" },
    action,
    resource: { op: "All" },
    conditions: bodies.map((body) => ({ kind: "when", body })),
  }
}
