import * as cedar from "@cedar-policy/cedar-wasm/nodejs"
import { describe, expect, test } from "vitest"
import type { DecisionContext } from "../rules/decision.ts"
import { policySetOf } from "../rules/policy-set.ts"
import { contextOf, rule } from "../testing/rules.ts"
import type { Cedar } from "./cedar.ts"
import { createPolicyEngine } from "./policy-engine.ts"

const ask = (context: DecisionContext) => ({ appId: "app_1", role: "pci", context, timeMs: 0 })

describe("parsed sets", () => {
  function counting() {
    const parsed: string[] = []
    const counted: Cedar = {
      ...cedar,
      preparsePolicySet: (id, policies) => {
        parsed.push(id)
        return cedar.preparsePolicySet(id, policies)
      },
    }
    return { parsed, counted }
  }

  test("are parsed once per version, and not again when an equal set arrives", () => {
    const { parsed, counted } = counting()
    const own = createPolicyEngine(() => counted)
    for (let round = 0; round < 5; round++) own.decide(policySetOf([rule()]), ask(contextOf()))
    expect(parsed.length).toBe(1)
    own.decide(policySetOf([rule({ effect: "forbid" })]), ask(contextOf()))
    expect(parsed.length).toBe(2)
  })

  test("are evicted when there are too many; their places are reused, and every decision stays correct", () => {
    const { parsed, counted } = counting()
    const own = createPolicyEngine(() => counted, { maxWeight: 500 })
    const sets = Array.from({ length: 20 }, (_, index) =>
      policySetOf([rule({ id: `policy_${index}`, conditions: { functions: [`f${index}`] } })]),
    )
    for (let round = 0; round < 3; round++) {
      for (const [index, set] of sets.entries()) {
        const own1 = own.decide(set, ask(contextOf({ functionName: `f${index}` })))
        expect(own1).toEqual({ decision: "permit", reason: "permitted", policyIds: [`policy_${index}`] })
        expect(own.decide(set, ask(contextOf({ functionName: "other" })))).toMatchObject({ decision: "deny" })
      }
    }
    expect(new Set(parsed).size).toBeLessThan(5)
  })

  test("of two engines in one process do not mix", () => {
    const other = createPolicyEngine(() => cedar)
    const [permits, forbids] = [policySetOf([rule()]), policySetOf([rule({ effect: "forbid" })])]
    const first = createPolicyEngine(() => cedar)
    expect(first.decide(permits, ask(contextOf()))).toMatchObject({ decision: "permit" })
    expect(other.decide(forbids, ask(contextOf()))).toMatchObject({ decision: "deny" })
    expect(first.decide(permits, ask(contextOf()))).toMatchObject({ decision: "permit" })
  })
})
