import { createCedarSession, instantiateCedar, type NamedRule } from "@sealway/policies/analysis"
import { afterAll, expect, test } from "vitest"
import { createZ3 } from "../solver/z3-solver.ts"
import { lintPolicies } from "./lint.ts"

const NOW_MS = Date.UTC(2026, 10, 27, 12)
const solvers = createZ3({ limitMs: 60_000 })
const session = createCedarSession(instantiateCedar)
afterAll(() => solvers.close())

type Conditions = NamedRule["conditions"]
const rule = (
  name: string,
  effect: "permit" | "forbid",
  conditions: Conditions,
  cedar: string | null = null,
): NamedRule => ({ id: name, name, effect, conditions, cedar })
const office = rule("office", "permit", { sources: ["api"], ipRanges: ["10.0.0.0/8"] })
const cedar = (name: string, effect: "permit" | "forbid", condition: string) =>
  rule(name, effect, null, `${effect}(principal, action, resource) when { ${condition} };`)

async function lint(...rules: readonly NamedRule[]) {
  const warnings = await lintPolicies(solvers, session, { role: "pci", rules, nowMs: NOW_MS })
  return warnings.map(({ policy, kind }) => `${policy ?? "role"}: ${kind}`)
}

test("policies that all do something get no warning", async () => {
  expect(await lint(office, rule("lab", "forbid", { ipRanges: ["10.1.0.0/16"] }))).toEqual([])
})

test.each([
  [
    "is past",
    rule("past", "permit", { sources: ["relay"], time: { notAfter: "2026-11-01T00:00:00Z" } }),
    "past: never-applies",
  ],
  [
    "contradicts itself",
    cedar("odd", "permit", 'context.source == "api" && context.source == "relay"'),
    "odd: never-applies",
  ],
  [
    "permits what another does",
    rule("part", "permit", { sources: ["api"], ipRanges: ["10.1.0.0/16"] }),
    "part: no-effect",
  ],
  [
    "forbids what nobody permits",
    rule("relays", "forbid", { sources: ["relay"] }),
    "relays: forbids-nothing",
  ],
  [
    "fails for some requests",
    cedar("key", "permit", 'context.apiKey == ApiKey::"key_0123456789ab"'),
    "key: may-fail",
  ],
])("a policy that %s gets a warning", async (_title, policy, expected) => {
  expect(await lint(office, policy)).toEqual([expected])
})

test("policies about masks and reasons get a warning only if they do nothing for either", async () => {
  const masked = { ...rule("masked", "permit", { sources: ["relay"] }), reveal: "masked" } as const
  const noMasks = { ...rule("no masks", "forbid", { sources: ["relay"] }), reveal: "masked" } as const
  expect(await lint(masked)).toEqual([])
  expect(await lint(masked, office)).toEqual([])
  expect(await lint(masked, noMasks)).toEqual(["role: closed-role", "masked: no-effect"])
  expect(await lint(masked, rule("full", "permit", { sources: ["relay"] }))).toEqual(["masked: no-effect"])
  expect(await lint(office, noMasks)).toEqual(["no masks: forbids-nothing"])
  expect(await lint({ ...office, name: "with", requiresReason: true })).toEqual([])
  expect(await lint(office, { ...office, name: "with", requiresReason: true })).toEqual(["with: no-effect"])
})

test("a policy that forbids masks of what may be seen in full gets a warning that no decision changes without it", async () => {
  const noMasks = { ...rule("no masks", "forbid", { sources: ["api"] }), reveal: "masked" } as const
  const rules = [office, noMasks]
  expect(await lintPolicies(solvers, session, { role: "pci", rules, nowMs: NOW_MS })).toEqual([
    { role: "pci", policy: "no masks", kind: "no-effect", reason: "no decision would change without it" },
  ])
})

test("a policy whose requests another forbids gets a warning, and so does the role that nobody can open", async () => {
  expect(await lint(office, rule("closed", "forbid", { sources: ["api"] }))).toEqual([
    "role: closed-role",
    "office: no-effect",
  ])
  expect(await lint()).toEqual(["role: closed-role"])
})

test("a policy that permits anybody gets a warning, in conditions and in Cedar, and one that permits at a time", async () => {
  expect(await lint(rule("all", "permit", {}))).toEqual(["all: unbounded"])
  expect(await lint(cedar("all", "permit", "true"))).toEqual(["all: unbounded"])
  const daily = { from: "09:00", to: "17:00", timezone: "UTC" }
  expect(await lint(rule("day", "permit", { time: { daily } }))).toEqual(["day: unbounded"])
})

test("what the encoding has no form for gets no warning", async () => {
  const policy = cedar("odd", "permit", 'context.source == "api" && decimal("1.0").lessThan(decimal("0.5"))')
  expect(await lint(policy)).toEqual([])
})
