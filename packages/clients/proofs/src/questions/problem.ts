import type { Policy, PolicyJson } from "@cedar-policy/cedar-wasm/nodejs"
import {
  authorizationRequest,
  type CedarSession,
  compileConditions,
  compileRule,
  decideOutcome,
  MAX_TIME_ZONES,
  type NamedRule,
  policyOf,
  policySetOf,
  type Question,
  timeUseOf,
} from "@sealway/policies/analysis"
import type { Region } from "@sealway/policies/files"
import { type Condition, createExpressionEncoder } from "../encoding/encode-expression.ts"
import { appliesFor, type EncodedPolicy, encodePolicy, permittedBy } from "../encoding/encode-policies.ts"
import { createRequest, type Request } from "../encoding/request.ts"
import { createTexts, type Texts } from "../encoding/texts.ts"
import { createScript, type Script } from "../smt/script.ts"
import { and, FALSE, type Term } from "../smt/terms.ts"
import { SolverStoppedError } from "../solver/solver.ts"

/** Policies of a role, encoded. */
export interface EncodedSet {
  readonly rules: readonly NamedRule[]
  readonly policies: readonly EncodedPolicy[]
  /** Whether a request gets what it asks for: full values, or at least a mask. */
  readonly permitted: Term
}

export interface EncodedRegion {
  /** In the form that Cedar evaluates: the tree rounds large numbers. */
  readonly policy: Policy
  readonly tree: PolicyJson
  readonly holds: Term
}

/** Policies and regions of one role, encoded for the same requests. */
export interface Problem {
  readonly role: string
  readonly nowMs: number
  readonly script: Script
  readonly texts: Texts
  readonly request: Request
  /** The requests that take a mask: none, if no mask can matter. Complete when all policies are encoded. */
  takesMask(): Term
  /** Operators that had no form. */
  unknown(): readonly string[]
  /** The policies and regions that were encoded. */
  readonly trees: readonly PolicyJson[]
  /** @throws TypeError when a rule could not have been saved */
  encode(rules: readonly NamedRule[]): EncodedSet
  region(region: Region): EncodedRegion
  /** What holds for every request. Complete when all policies and regions are encoded. */
  facts(): Term
  /** What Cedar decides, as the service would. */
  decides(set: EncodedSet, question: Question): "permit" | "deny"
  /** Whether a request is in a region, by Cedar. */
  includes(region: EncodedRegion, question: Question): boolean
}

/**
 * @param nowMs the time of the earliest request, in epoch milliseconds
 * @param hasMask whether the role has a mask; values of one that has none are never masked. Default: it has
 */
export function createProblem(session: CedarSession, role: string, nowMs: number, hasMask = true): Problem {
  const [script, texts] = [createScript(), createTexts()]
  const request = createRequest(script, texts, role, nowMs)
  const full = createExpressionEncoder(script, texts, request, "Decrypt")
  const masked = createExpressionEncoder(script, texts, request, "Mask")
  const trees: PolicyJson[] = []
  const encoded = (encoder: typeof full, tree: PolicyJson, requiresReason = false): Condition => {
    const { error, holds } = encodePolicy(encoder, tree)
    const name = (term: Term) => script.named("Bool", term)
    return { error: name(error), holds: name(requiresReason ? and(holds, request.reason()) : holds) }
  }
  const isAboutMasks = (tree: PolicyJson) => hasMask && readsAction(tree)
  const takesMask = () => (trees.some(isAboutMasks) ? request.masked() : FALSE)
  return {
    role,
    nowMs,
    script,
    texts,
    request,
    takesMask,
    unknown: () => [...new Set([...full.unknown, ...masked.unknown])].toSorted(),
    trees,
    encode(rules) {
      const compiled = rules.map((rule) => compileRule(session.cedar(), rule).tree)
      if (timeUseOf(compiled).timeZones.length >= MAX_TIME_ZONES) {
        throw new SolverStoppedError("the policies name too many time zones")
      }
      trees.push(...compiled)
      const policies = compiled.map((tree, index): EncodedPolicy => {
        const requiresReason = rules[index]?.requiresReason
        const condition = encoded(full, tree, requiresReason)
        return {
          effect: tree.effect,
          full: condition,
          masked: isAboutMasks(tree) ? encoded(masked, tree, requiresReason) : condition,
        }
      })
      return { rules, policies, permitted: script.named("Bool", permittedBy(policies, takesMask())) }
    },
    region(region) {
      const { policy, tree } = compileRegion(session, region)
      trees.push(tree)
      return { policy, tree, holds: script.named("Bool", appliesFor(encoded(full, tree))) }
    },
    facts: () => and(request.facts(), full.facts(), masked.facts()),
    decides(set, question) {
      const { decision } = decideOutcome(session.engine, policySetOf(set.rules), question, hasMask)
      if (decision === "masked") return question.action === "Mask" ? "permit" : "deny"
      return decision
    },
    includes({ policy, tree }, question) {
      const answer = session
        .cedar()
        .isAuthorized({
          ...authorizationRequest(question, timeUseOf([tree])),
          validateRequest: false,
          policies: { staticPolicies: { region: policy } },
        })
      if (answer.type === "failure") throw new TypeError("Cedar refused the request")
      return answer.response.decision === "allow"
    },
  }
}

function compileRegion(session: CedarSession, region: Region): Pick<EncodedRegion, "policy" | "tree"> {
  if ("cedar" in region) {
    return compileRule(session.cedar(), { effect: "permit", conditions: null, cedar: region.cedar })
  }
  const { conditions } = region
  // A policy without PCRs permits no enclave; a region without them includes all.
  const clauses = compileConditions(conditions, "permit").filter(
    ({ name }) => name !== "enclavePcrs" || conditions.enclavePcrs !== undefined,
  )
  const tree = policyOf(
    "permit",
    clauses.map(({ body }) => body),
  )
  return { policy: tree, tree }
}

/** Whether a policy tells masks from full values. */
function readsAction({ action, conditions }: PolicyJson): boolean {
  return action.op !== "All" || JSON.stringify(conditions).includes('{"Var":"action"}')
}

/** Why an example was not confirmed. */
export function reasonsOf(problem: Problem): string[] {
  const operators = problem.unknown()
  if (operators.length === 0) return ["Cedar decides otherwise than the encoding: please report this"]
  return operators.map(
    (name) => `${UNKNOWN_NAMES.get(name) ?? name} in Cedar is not decided for all requests`,
  )
}

/** What people call an expression that has no form. */
const UNKNOWN_NAMES: ReadonlyMap<string, string> = new Map([
  ["Value", "a number beyond 2^53"],
  ["Record", "a record"],
  ["has path", "has with a path"],
])
