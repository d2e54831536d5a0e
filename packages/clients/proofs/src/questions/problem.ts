import type { Policy, PolicyJson } from "@cedar-policy/cedar-wasm/nodejs"
import {
  authorizationRequest,
  type CedarSession,
  compileConditions,
  compileRule,
  MAX_TIME_ZONES,
  type NamedRule,
  policyOf,
  policySetOf,
  type Question,
  timeUseOf,
} from "@sealway/policies/analysis"
import type { Region } from "@sealway/policies/files"
import { createExpressionEncoder, type ExpressionEncoder } from "../encoding/encode-expression.ts"
import { type EncodedPolicy, encodePolicy, permittedBy } from "../encoding/encode-policies.ts"
import { createRequest, type Request } from "../encoding/request.ts"
import { createTexts, type Texts } from "../encoding/texts.ts"
import { createScript, type Script } from "../smt/script.ts"
import { and, not, type Term } from "../smt/terms.ts"
import { SolverStoppedError } from "../solver/solver.ts"

/** Policies of a role, encoded. */
export interface EncodedSet {
  readonly rules: readonly NamedRule[]
  readonly policies: readonly EncodedPolicy[]
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
  readonly encoder: ExpressionEncoder
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

/** @param nowMs the time of the earliest request, in epoch milliseconds */
export function createProblem(session: CedarSession, role: string, nowMs: number): Problem {
  const [script, texts] = [createScript(), createTexts()]
  const request = createRequest(script, texts, role, nowMs)
  const encoder = createExpressionEncoder(script, texts, request)
  const trees: PolicyJson[] = []
  const encoded = (tree: PolicyJson): EncodedPolicy => {
    trees.push(tree)
    const { error, holds } = encodePolicy(encoder, tree)
    const name = (term: Term) => script.named("Bool", term)
    return { effect: tree.effect, error: name(error), holds: name(holds) }
  }
  return {
    role,
    nowMs,
    script,
    texts,
    request,
    encoder,
    trees,
    encode(rules) {
      const compiled = rules.map((rule) => compileRule(session.cedar(), rule).tree)
      if (timeUseOf(compiled).timeZones.length >= MAX_TIME_ZONES) {
        throw new SolverStoppedError("the policies name too many time zones")
      }
      const policies = compiled.map(encoded)
      return { rules, policies, permitted: script.named("Bool", permittedBy(policies)) }
    },
    region(region) {
      const { policy, tree } = compileRegion(session, region)
      const { error, holds } = encoded(tree)
      return { policy, tree, holds: script.named("Bool", and(not(error), holds)) }
    },
    facts: () => and(request.facts(), encoder.facts()),
    decides(set, question) {
      return session.engine.decide(policySetOf(set.rules), question).decision
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

/** Why an example was not confirmed. */
export function reasonsOf({ encoder }: Problem): string[] {
  const operators = [...encoder.unknown].toSorted()
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
