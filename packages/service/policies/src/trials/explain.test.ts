import * as cedar from "@cedar-policy/cedar-wasm/nodejs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createPolicyEngine } from "../cedar/policy-engine.ts"
import { policySetOf } from "../rules/policy-set.ts"
import { contextArbitrary, rulesArbitrary, timeArbitrary } from "../testing/arbitraries.ts"
import { contextOf, rawRule, rule } from "../testing/rules.ts"
import { explain } from "./explain.ts"

const engine = createPolicyEngine(() => cedar)
const question = { appId: "app_1", role: "pci", context: contextOf(), timeMs: Date.UTC(2026, 2, 2, 12) }

describe("an explanation", () => {
  test("names every condition that fails, and none that holds", async () => {
    const conditions = {
      sources: ["relay" as const],
      relayDestinations: ["api.example.com"],
      functions: ["charge"],
      ipRanges: ["10.0.0.0/8"],
      time: {
        notBefore: "2026-04-01T00:00:00Z",
        notAfter: "2026-05-01T00:00:00Z",
        daily: { from: "20:00", to: "21:00", timezone: "Europe/Dublin" },
      },
      enclavePcrs: { pcr0: "0".repeat(96) },
      apiKeys: ["key_zzzzzzzzzzzz"],
    }
    const { policies } = await explain(engine, [rule({ conditions })], question)
    expect(policies[0]?.failedConditions).toEqual([
      "sources",
      "relayDestinations",
      "functions",
      "apiKeys",
      "ipRanges",
      "time.notBefore",
      "time.daily",
      "enclavePcrs",
    ])
  })

  test("shows which policies apply, which of them decide, and their budgets", async () => {
    const budget = { values: 5, per: "hour" as const }
    const explanation = await explain(
      engine,
      [
        rule({ id: "policy_1", name: "Anybody", conditions: { budget } }),
        rule({ id: "policy_2", name: "Not the API", effect: "forbid", conditions: { sources: ["api"] } }),
        rawRule('forbid(principal, action, resource) when { context.source == "relay" };', {
          id: "policy_3",
          name: "Not relays",
          effect: "forbid",
        }),
      ],
      question,
    )
    expect(explanation).toEqual({
      decision: "deny",
      reason: "forbidden",
      policies: [
        {
          id: "policy_1",
          name: "Anybody",
          effect: "permit",
          reveal: null,
          requiresReason: false,
          matched: true,
          decided: false,
          failedConditions: [],
          budget,
        },
        {
          id: "policy_2",
          name: "Not the API",
          effect: "forbid",
          reveal: null,
          requiresReason: false,
          matched: true,
          decided: true,
          failedConditions: [],
          budget: null,
        },
        {
          id: "policy_3",
          name: "Not relays",
          effect: "forbid",
          reveal: null,
          requiresReason: false,
          matched: false,
          decided: false,
          failedConditions: ["cedar"],
          budget: null,
        },
      ],
    })
  })

  test("reports that no policy permits when there is none", async () => {
    expect(await explain(engine, [], question)).toEqual({
      decision: "deny",
      reason: "no-policy-permits",
      policies: [],
    })
  })

  test("never disagrees with the decision", async () => {
    await fc.assert(
      fc.asyncProperty(rulesArbitrary, contextArbitrary, timeArbitrary, async (rules, context, timeMs) => {
        const asked = { ...question, context, timeMs }
        const { decision, reason, policies } = await explain(engine, rules, asked)
        const verdict = engine.decide(policySetOf(rules), asked)
        expect({ decision, reason }).toEqual({ decision: verdict.decision, reason: verdict.reason })
        const matching = (effect: string) => policies.some((each) => each.effect === effect && each.matched)
        expect(decision).toBe(!matching("forbid") && matching("permit") ? "permit" : "deny")
        for (const { matched, failedConditions } of policies)
          expect(matched).toBe(failedConditions.length === 0)
      }),
      { numRuns: 150 },
    )
  })
})
