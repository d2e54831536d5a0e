import * as cedar from "@cedar-policy/cedar-wasm/nodejs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { NamedRule } from "../rules/data-policy.ts"
import type { DecisionContext } from "../rules/decision.ts"
import { policySetOf } from "../rules/policy-set.ts"
import { contextArbitrary, rulesArbitrary, timeArbitrary } from "../testing/arbitraries.ts"
import { referenceDecision } from "../testing/reference-evaluator.ts"
import { contextOf, rawRule, rule } from "../testing/rules.ts"
import { authorizationRequest } from "./authorization-request.ts"
import type { Cedar } from "./cedar.ts"
import { compileRule } from "./compile-rule.ts"
import { createPolicyEngine } from "./policy-engine.ts"
import { CEDAR_SCHEMA } from "./schema.ts"
import { timeUseOf } from "./time-use.ts"

const NOON_MS = Date.UTC(2026, 2, 2, 12)
const engine = createPolicyEngine(() => cedar)
const ask = (context: DecisionContext, timeMs = NOON_MS) => ({ appId: "app_1", role: "pci", context, timeMs })
const decide = (rules: readonly NamedRule[], context = contextOf(), timeMs = NOON_MS) =>
  engine.decide(policySetOf(rules), ask(context, timeMs))

const applies = {}
const appliesNot = { sources: ["relay" as const] }
const OVERFLOW = `when { context.clock.hasTag("UTC") && context.clock.getTag("UTC").minuteOfDay * 9223372036854775807 > 0 }`

describe("a decision in three steps", () => {
  test.each([
    ["no policy", [], "deny", "no-policy-permits", []],
    ["one that permits", ["permit"], "permit", "permitted", ["policy_0"]],
    ["one that permits and does not apply", ["-permit"], "deny", "no-policy-permits", []],
    ["one that forbids", ["forbid"], "deny", "forbidden", ["policy_0"]],
    ["one that forbids and does not apply", ["-forbid"], "deny", "no-policy-permits", []],
    ["one that permits, then one that forbids", ["permit", "forbid"], "deny", "forbidden", ["policy_1"]],
    ["one that forbids, then one that permits", ["forbid", "permit"], "deny", "forbidden", ["policy_0"]],
    [
      "one that permits, one that forbids and does not apply",
      ["permit", "-forbid"],
      "permit",
      "permitted",
      ["policy_0"],
    ],
    [
      "one that forbids, one that permits and does not apply",
      ["forbid", "-permit"],
      "deny",
      "forbidden",
      ["policy_0"],
    ],
    [
      "many that permit, one that forbids",
      ["permit", "permit", "permit", "forbid"],
      "deny",
      "forbidden",
      ["policy_3"],
    ],
    [
      "many of which one permits",
      ["-permit", "-permit", "permit", "-forbid"],
      "permit",
      "permitted",
      ["policy_2"],
    ],
    ["none of many that applies", ["-permit", "-forbid", "-permit"], "deny", "no-policy-permits", []],
  ] as const)("is correct for %s", (_what, kinds, decision, reason, policyIds) => {
    const rules = kinds.map((kind, index) =>
      rule({
        id: `policy_${index}`,
        effect: kind.endsWith("permit") ? "permit" : "forbid",
        conditions: kind.startsWith("-") ? appliesNot : applies,
      }),
    )
    expect(decide(rules)).toEqual({ decision, reason, policyIds })
  })

  test("agrees with a plain evaluator that shares no code, for any policies and context", () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(rulesArbitrary, contextArbitrary, timeArbitrary, (rules, context, timeMs) => {
        const { decision } = decide(rules, context, timeMs)
        seen.add(decision)
        expect(decision).toBe(referenceDecision(rules, context, timeMs))
      }),
      { numRuns: 1_500 },
    )
    expect(seen).toEqual(new Set(["permit", "deny"]))
  })

  test("does not depend on the order of the policies", () => {
    fc.assert(
      fc.property(rulesArbitrary, contextArbitrary, timeArbitrary, (rules, context, timeMs) => {
        const { decision, reason } = decide(rules, context, timeMs)
        expect(decide(rules.toReversed(), context, timeMs)).toMatchObject({ decision, reason })
      }),
      { numRuns: 200 },
    )
  })
})

describe("doubt", () => {
  const failing = (effect: "permit" | "forbid", id: string) =>
    rawRule(`${effect}(principal, action, resource) ${OVERFLOW};`, { id, effect })

  test.each([["permit"], ["forbid"]] as const)(
    "denies when a policy that would %s fails beside one that permits",
    (effect) => {
      const verdict = decide([rule({ id: "policy_1" }), failing(effect, "policy_2")])
      expect(verdict).toEqual({ decision: "deny", reason: "evaluation-error", policyIds: ["policy_2"] })
    },
  )

  test("denies as forbidden when one policy forbids and another fails", () => {
    const verdict = decide([rule({ id: "policy_1", effect: "forbid" }), failing("permit", "policy_2")])
    expect(verdict).toEqual({ decision: "deny", reason: "forbidden", policyIds: ["policy_1"] })
  })

  test.each([
    ["a policy that says nothing", rule({ conditions: null })],
    ["a text that is not Cedar", rawRule("permit everything;")],
    ["a text of the other effect", rawRule("forbid(principal, action, resource);")],
    [
      "a text that Cedar would choke on",
      rawRule(`permit(principal, action, resource) when {${"(".repeat(5000)}`),
    ],
  ])("denies when a stored policy is %s, and keeps working", (_what, broken) => {
    expect(decide([rule(), broken])).toMatchObject({ decision: "deny", reason: "evaluation-error" })
    expect(decide([rule()])).toMatchObject({ decision: "permit" })
  })

  test("denies when Cedar itself fails, and logs it", () => {
    const failures: unknown[] = []
    const trap = new Error("unreachable")
    const broken: Cedar = {
      ...cedar,
      statefulIsAuthorized: () => {
        throw trap
      },
    }
    const fragile = createPolicyEngine(() => broken, { onFailure: (error) => failures.push(error) })
    const verdict = fragile.decide(policySetOf([rule()]), ask(contextOf()))
    expect(verdict).toEqual({ decision: "deny", reason: "evaluation-error", policyIds: [] })
    expect(failures).toEqual([trap])
  })

  test("denies when a condition depends on something unknown", () => {
    const unknown: DecisionContext = { source: "api", ip: null, apiKeyId: null }
    for (const conditions of [
      { ipRanges: ["0.0.0.0/0", "::/0"] },
      { apiKeys: ["key_0123456789ab"] },
      { functions: ["charge"] },
      { relayDestinations: ["api.example.com"] },
      { enclavePcrs: { pcr0: "0".repeat(96) } },
    ]) {
      expect(decide([rule({ conditions })], unknown)).toMatchObject({ reason: "no-policy-permits" })
    }
  })

  test("denies an enclave unless a policy that permits names its PCRs", () => {
    const context = contextOf({ source: "enclave", enclavePcrs: { pcr0: "ab".repeat(48) } })
    const forbids = rule({ id: "policy_2", effect: "forbid", conditions: {} })
    for (const conditions of [{}, { ipRanges: ["0.0.0.0/0", "::/0"] }]) {
      expect(decide([rule({ conditions })], context)).toMatchObject({ reason: "no-policy-permits" })
      expect(decide([rule({ conditions })], contextOf())).toMatchObject({ reason: "permitted" })
    }
    const named = rule({ conditions: { enclavePcrs: { pcr0: "AB".repeat(48) } } })
    expect(decide([named], context)).toMatchObject({ reason: "permitted" })
    expect(decide([named, forbids], context)).toMatchObject({ reason: "forbidden" })
  })

  test("denies for an invalid address, whether a policy permits ranges or forbids them", () => {
    const permits = rule({ conditions: { ipRanges: ["0.0.0.0/0", "::/0"] } })
    const forbids = rule({ id: "policy_2", effect: "forbid", conditions: { ipRanges: ["192.0.2.0/24"] } })
    for (const ip of [null, "", "unknown", "1.2.3", "1.2.3.4, 5.6.7.8", "fe80::1%eth0", "01.2.3.4"]) {
      expect(decide([permits], contextOf({ ip }))).toMatchObject({ reason: "no-policy-permits" })
      expect(decide([rule(), forbids], contextOf({ ip }))).toMatchObject({ reason: "forbidden" })
    }
    expect(decide([rule(), forbids], contextOf({ ip: "192.0.3.1" }))).toMatchObject({ reason: "permitted" })
  })

  test("denies when the process does not know a policy's time zone, whether the policy permits or forbids", () => {
    const conditions = { time: { daily: { from: "00:00", to: "00:01", timezone: "Mars/Phobos" } } }
    expect(decide([rule({ conditions })])).toMatchObject({ reason: "no-policy-permits" })
    const forbids = rule({ id: "policy_2", effect: "forbid", conditions })
    expect(decide([rule(), forbids])).toMatchObject({ reason: "forbidden" })
  })
})

describe("names", () => {
  const evil = [
    '"); permit(principal, action, resource); //',
    '"] .contains(context.source) || true || ["',
    "a\nb",
    "\\",
    '\\"',
    "\u0000",
    "__proto__",
    '{"__entity":{"type":"App","id":"app_1"}}',
    "*",
    "\u202e",
  ]

  test.each(evil)("are compared and never interpreted as Cedar: %j", (name) => {
    const conditions = { functions: [name] }
    expect(decide([rule({ name, conditions })], contextOf({ functionName: name }))).toMatchObject({
      decision: "permit",
    })
    for (const other of [...evil.filter((each) => each !== name), "charge"]) {
      expect(decide([rule({ name, conditions })], contextOf({ functionName: other }))).toMatchObject({
        decision: "deny",
      })
    }
  })

  test("in ids and roles never become part of Cedar", () => {
    const rules = [
      rule({ id: "__proto__", conditions: appliesNot }),
      rule({ id: 'p0"', conditions: applies }),
    ]
    const question = { ...ask(contextOf()), appId: 'app"', role: '"::{}' }
    expect(engine.decide(policySetOf(rules), question)).toMatchObject({
      decision: "permit",
      policyIds: ['p0"'],
    })
  })

  test("with any characters match only one function", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 40 }),
        fc.string({ unit: "binary", maxLength: 40 }),
        (name, other) => {
          fc.pre(name.isWellFormed() && other.isWellFormed())
          const { decision } = decide(
            [rule({ conditions: { functions: [name] } })],
            contextOf({ functionName: other }),
          )
          expect(decision).toBe(name === other ? "permit" : "deny")
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe("requests", () => {
  test("match the published schema for any context", () => {
    fc.assert(
      fc.property(rulesArbitrary, contextArbitrary, timeArbitrary, (rules, context, timeMs) => {
        const { timeZones } = timeUseOf(rules.map((each) => compileRule(cedar, each).tree))
        const request = authorizationRequest(ask(context, timeMs), { instant: true, clock: true, timeZones })
        const answer = cedar.isAuthorized({
          ...request,
          schema: CEDAR_SCHEMA,
          validateRequest: true,
          policies: { staticPolicies: {} },
        })
        expect(answer).toMatchObject({ type: "success" })
      }),
      { numRuns: 200 },
    )
  })

  test("contain the app and the role, so that a policy in Cedar can use them", () => {
    const one = rawRule(
      `permit(principal == App::"app_1", action == Action::"Decrypt", resource == DataRole::"pci");`,
    )
    expect(decide([one])).toMatchObject({ decision: "permit" })
    const set = policySetOf([one])
    expect(engine.decide(set, { ...ask(contextOf()), appId: "app_2" })).toMatchObject({ decision: "deny" })
    expect(engine.decide(set, { ...ask(contextOf()), role: "other" })).toMatchObject({ decision: "deny" })
  })

  test("contain the weekday in a zone that a policy in Cedar names", () => {
    const clock = `context.clock.hasTag("Europe/Dublin") && context.clock.getTag("Europe/Dublin").weekday`
    const weekdays = rawRule(`permit(principal, action, resource) when { ${clock} <= 5 };`)
    expect(decide([weekdays], contextOf(), Date.UTC(2026, 2, 6, 12))).toMatchObject({ decision: "permit" })
    expect(decide([weekdays], contextOf(), Date.UTC(2026, 2, 7, 12))).toMatchObject({ decision: "deny" })
    expect(decide([weekdays], contextOf(), Date.UTC(2026, 2, 8, 12))).toMatchObject({ decision: "deny" })
  })
})

describe("a repeated request", () => {
  const counting = () => {
    let asked = 0
    const counting: Cedar = {
      ...cedar,
      statefulIsAuthorized: (call) => {
        asked++
        return cedar.statefulIsAuthorized(call)
      },
    }
    const counted = createPolicyEngine(() => counting)
    return { counted, asked: () => asked }
  }
  const MINUTE_MS = 60_000

  test("is answered from the cache until its content changes", () => {
    const { counted, asked } = counting()
    const set = policySetOf([rule({ conditions: { ipRanges: ["192.0.2.0/24"] } })])
    for (const ip of ["192.0.2.1", "192.0.2.1", "198.51.100.1", "192.0.2.1", "198.51.100.1"]) {
      const { decision } = counted.decide(set, ask(contextOf({ ip }), NOON_MS))
      expect(decision).toBe(ip.startsWith("192") ? "permit" : "deny")
    }
    expect(asked()).toBe(2)
  })

  test("on a policy with a daily window is evaluated each minute", () => {
    const { counted, asked } = counting()
    const daily = { from: "12:00", to: "12:01", timezone: "UTC" }
    const set = policySetOf([rule({ conditions: { time: { daily } } })])
    const decide = (timeMs: number) => counted.decide(set, ask(contextOf(), timeMs)).decision
    expect([NOON_MS, NOON_MS + MINUTE_MS - 1, NOON_MS + MINUTE_MS].map(decide)).toEqual([
      "permit",
      "permit",
      "deny",
    ])
    expect(asked()).toBe(2)
  })

  test("on a policy with a point in time is evaluated each time", () => {
    const { counted, asked } = counting()
    const set = policySetOf([rule({ conditions: { time: { notAfter: "2026-03-02T12:00:00Z" } } })])
    const decide = (timeMs: number) => counted.decide(set, ask(contextOf(), timeMs)).decision
    expect([NOON_MS - 1, NOON_MS - 1, NOON_MS].map(decide)).toEqual(["permit", "permit", "deny"])
    expect(asked()).toBe(3)
  })
})
