import type { DetailedError, PolicyJson } from "@cedar-policy/cedar-wasm/nodejs"
import type { Effect } from "../data-policy.ts"
import type { Cedar } from "./cedar.ts"
import { CEDAR_SCHEMA } from "./schema.ts"

/**
 * Cedar recurses, in a WebAssembly stack whose overflow leaves the module unusable for the rest of the process: some
 * 270 nested brackets do, or a chain of some 500 operators. These bounds keep far away from that, before Cedar sees
 * anything.
 */
const MAX_TOKENS = 1_000
const MAX_BRACKETS = 32
const MAX_TREE_DEPTH = 240

const TOKEN = /\s+|\/\/[^\n]*|"(?:[^"\\]|\\.)*(?:"|\\?$)|[A-Za-z0-9_]+|./gsu

export interface RawPolicyProblem {
  /** For anybody; tells the place and nothing of the text. */
  readonly reason: string
  /** Cedar's own words, which repeat parts of the text; null where Cedar was not asked. */
  readonly cedarMessage: string | null
}

export type RawPolicy =
  | { readonly ok: true; readonly policy: PolicyJson }
  | { readonly ok: false; readonly problem: RawPolicyProblem }

/** Reads one policy in Cedar's language. What has been read can be evaluated; see `checkRawPolicy` for its sense. */
export function readRawPolicy(cedar: Cedar, text: string): RawPolicy {
  if (isTooComplex(text)) return refused("The policy has too many terms, or nests too deep")
  const parts = cedar.policySetTextToParts(text)
  if (parts.type === "failure") return refusedAt(text, parts.errors[0], "this is not Cedar")
  if (parts.policy_templates.length > 0) return refused("Templates are not taken")
  if (parts.policies.length !== 1) return refused("There must be exactly one policy")
  const parsed = cedar.policyToJson(text)
  if (parsed.type === "failure") return refusedAt(text, parsed.errors[0], "this is not Cedar")
  if (depthOf(parsed.json) > MAX_TREE_DEPTH) return refused("The policy nests too deep")
  return { ok: true, policy: parsed.json }
}

/** What is wrong with a policy in Cedar's language, that is to have an effect. Null when nothing is. */
export function checkRawPolicy(cedar: Cedar, text: string, effect: Effect): RawPolicyProblem | null {
  const read = readRawPolicy(cedar, text)
  if (!read.ok) return read.problem
  if (read.policy.effect !== effect) {
    return { reason: "The policy has another effect than `effect` says", cedarMessage: null }
  }
  const answer = cedar.validate({ schema: CEDAR_SCHEMA, policies: { staticPolicies: { policy: text } } })
  const error = answer.type === "failure" ? answer.errors[0] : answer.validationErrors[0]?.error
  return error === undefined ? null : problemAt(text, error, "this does not fit the schema")
}

function isTooComplex(text: string): boolean {
  let tokens = 0
  let open = 0
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^\s/.test(token) || token.startsWith("//")) continue
    if (++tokens > MAX_TOKENS) return true
    if ("([{".includes(token) && ++open > MAX_BRACKETS) return true
    if (")]}".includes(token)) open--
  }
  return false
}

/** Without recursion, since it is there to stop one. */
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
  // Cedar counts bytes of UTF-8.
  const before = Buffer.from(text)
    .subarray(0, offset ?? 0)
    .toString()
  const line = before.split("\n").length
  const column = before.length - before.lastIndexOf("\n")
  return {
    reason: offset === undefined ? `In the policy, ${what}` : `Line ${line}, column ${column}: ${what}`,
    cedarMessage: error === undefined ? null : [error.message, error.help].filter(Boolean).join("; "),
  }
}
