import * as cedar from "@cedar-policy/cedar-wasm/nodejs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { policySetOf } from "../rules/policy-set.ts"
import { contextOf, rule } from "../testing/rules.ts"
import { explain } from "../trials/explain.ts"
import type { Cedar } from "./cedar.ts"
import { createPolicyEngine } from "./policy-engine.ts"

/** So many that a policy naming all of them is larger than a part of a set. */
const FUNCTIONS = Array.from({ length: 1_500 }, (_, index) => `function-${index}`)

describe("a set that is parsed in several parts", () => {
  const conditions = { functions: FUNCTIONS }
  const none = { functions: FUNCTIONS.map((name) => `${name}-`) }
  const overflowing = `when { context has function && 9223372036854775807 + 1 > 0 }`
  const kinds = {
    permits: () => rule({ id: "permits", conditions }),
    forbids: () => rule({ id: "forbids", effect: "forbid", conditions }),
    fails: () =>
      rule({ id: "fails", conditions: null, cedar: `permit(principal, action, resource) ${overflowing};` }),
    "does not apply": () => rule({ id: "none", conditions: none }),
  }
  type Kind = keyof typeof kinds
  const question = {
    appId: "app_1",
    role: "pci",
    timeMs: 0,
    context: contextOf({ functionName: "function-7" }),
  }
  const expected = (drawn: readonly Kind[]) => {
    if (drawn.includes("forbids")) return { decision: "deny", reason: "forbidden" }
    if (drawn.includes("fails")) return { decision: "deny", reason: "evaluation-error" }
    return drawn.includes("permits")
      ? { decision: "permit", reason: "permitted" }
      : { decision: "deny", reason: "no-policy-permits" }
  }

  test("is decided as one: any forbid or error, in any part, overrides a permit in another", async () => {
    const parsed: string[] = []
    const counted: Cedar = {
      ...cedar,
      preparsePolicySet: (id, policies) => {
        parsed.push(id)
        return cedar.preparsePolicySet(id, policies)
      },
    }
    const all = fc.shuffledSubarray(Object.keys(kinds) as Kind[], { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(all, async (drawn) => {
        const rules = drawn.map((kind) => kinds[kind]())
        const engine = createPolicyEngine(() => counted)
        parsed.length = 0
        await engine.prepare(policySetOf(rules))
        expect(parsed.length).toBeGreaterThanOrEqual(drawn.filter((kind) => kind !== "fails").length)
        expect(engine.decide(policySetOf(rules), question)).toMatchObject(expected(drawn))
        expect(await explain(engine, rules, question)).toMatchObject(expected(drawn))
      }),
      { numRuns: 15 },
    )
  })
})
