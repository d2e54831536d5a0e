import type { DetailedError, PolicyJson } from "@cedar-policy/cedar-wasm/nodejs"
import type { Effect } from "../rules/data-policy.ts"
import type { Cedar } from "./cedar.ts"
import { cedarTokens } from "./cedar-tokens.ts"
import { CedarTrapError } from "./guard-cedar.ts"
import { CEDAR_SCHEMA } from "./schema.ts"

/**
 * Cedar recurses, in a stack of 1 MB within its WebAssembly. In a new instance it overflows at 118 nested brackets, at
 * 290 nested expressions during evaluation, and at 554 branches. These limits keep it below half of that, before Cedar
 * sees anything. They also bound the time of a call to a few milliseconds, because each of Cedar's steps is linear in
 * the number of tokens.
 */
const MAX_TOKENS = 1_000
const MAX_BRACKETS = 32
const MAX_TREE_DEPTH = 240

export interface RawPolicyProblem {
  /** Safe for everyone: says the position and quotes nothing of the text. */
  readonly reason: string
  /** Cedar's own message, which quotes parts of the text; null when Cedar was not asked. */
  readonly cedarMessage: string | null
}

export type RawPolicy =
  | { readonly ok: true; readonly policy: PolicyJson }
  | { readonly ok: false; readonly problem: RawPolicyProblem }

/**
 * Parses one policy in Cedar's language. A parsed policy can be evaluated; `checkRawPolicy` checks whether it makes
 * sense.
 *
 * @throws CedarTrapError when Cedar stops in the middle of it
 */
export function readRawPolicy(cedar: Cedar, text: string): RawPolicy {
  const problem = problemOfTokens(text)
  if (problem !== null) return refused(problem)
  const parts = cedar.policySetTextToParts(text)
  if (parts.type === "failure") return refusedAt(text, parts.errors[0], "this is not Cedar")
  if (parts.policy_templates.length > 0) return refused("Policy templates are not supported")
  if (parts.policies.length !== 1) return refused("There must be exactly one policy")
  const parsed = cedar.policyToJson(text)
  if (parsed.type === "failure") return refusedAt(text, parsed.errors[0], "this is not Cedar")
  if (depthOf(parsed.json) > MAX_TREE_DEPTH) return refused("The policy is nested too deeply")
  return { ok: true, policy: parsed.json }
}

/** Checks a policy in Cedar's language and its effect. Returns null when it is valid. */
export function checkRawPolicy(cedar: Cedar, text: string, effect: Effect): RawPolicyProblem | null {
  try {
    const read = readRawPolicy(cedar, text)
    if (!read.ok) return read.problem
    if (read.policy.effect !== effect) {
      return { reason: "The policy's effect is not the one in `effect`", cedarMessage: null }
    }
    const answer = cedar.validate({ schema: CEDAR_SCHEMA, policies: { staticPolicies: { policy: text } } })
    const error = answer.type === "failure" ? answer.errors[0] : answer.validationErrors[0]?.error
    return error === undefined ? null : problemAt(text, error, "this does not match the schema")
  } catch (error) {
    if (!(error instanceof CedarTrapError)) throw error
    return { reason: "Cedar cannot process this policy. Make it shorter or less nested", cedarMessage: null }
  }
}

const CLOSING: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
])

/**
 * Returns the reason not to pass a text to Cedar; null when there is none. A closing bracket without an open one of its
 * kind is refused here: Cedar's parser skips it and continues, so the real nesting would differ from the counted one.
 */
function problemOfTokens(text: string): string | null {
  // Cedar receives JSON, where such characters are an error that traps.
  if (!text.isWellFormed()) return "The policy contains a lone surrogate, which is not a valid character"
  let tokens = 0
  const open: string[] = []
  for (const { text: token, start, isKnown } of cedarTokens(text)) {
    const closing = CLOSING.get(token)
    if (closing !== undefined) open.push(closing)
    const isMisplaced = closing === undefined && ")]}".includes(token) && open.pop() !== token
    if (!isKnown || isMisplaced) return `${placeAt(text.slice(0, start))}: this is not Cedar`
    if (++tokens > MAX_TOKENS || open.length > MAX_BRACKETS) {
      return "The policy has too many terms, or is nested too deeply"
    }
  }
  return null
}

/** Without recursion, since it is there to prevent one. */
function depthOf(tree: object): number {
  let depth = 0
  let level: object[] = [tree]
  while (level.length > 0) {
    depth++
    level = level.flatMap((node) => Object.values(node).filter(isObject))
  }
  return depth
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}

function refused(reason: string): RawPolicy {
  return { ok: false, problem: { reason, cedarMessage: null } }
}

function refusedAt(text: string, error: DetailedError | undefined, what: string): RawPolicy {
  return { ok: false, problem: problemAt(text, error, what) }
}

function problemAt(text: string, error: DetailedError | undefined, what: string): RawPolicyProblem {
  const offset = error?.sourceLocations?.[0]?.start
  return {
    reason: offset === undefined ? `In the policy: ${what}` : `${placeAt(beforeByte(text, offset))}: ${what}`,
    cedarMessage: error === undefined ? null : [error.message, error.help].filter(Boolean).join("; "),
  }
}

/** Cedar counts UTF-8 bytes. */
function beforeByte(text: string, offset: number): string {
  return Buffer.from(text).subarray(0, offset).toString()
}

/** Describes the position after a part of a text. */
function placeAt(before: string): string {
  const line = before.split("\n").length
  const column = before.length - before.lastIndexOf("\n")
  return `Line ${line}, column ${column}`
}
