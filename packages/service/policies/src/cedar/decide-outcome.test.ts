import * as cedar from "@cedar-policy/cedar-wasm/nodejs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { NamedRule } from "../rules/data-policy.ts"
import { policySetOf } from "../rules/policy-set.ts"
import { REVEAL_LEVELS } from "../rules/reveal.ts"
import { contextOf, rawRule, rule } from "../testing/rules.ts"
import { decideOutcome } from "./decide-outcome.ts"
import { createPolicyEngine } from "./policy-engine.ts"

const engine = createPolicyEngine(() => cedar)
const question = { appId: "app_1", role: "pci", context: contextOf(), timeMs: Date.UTC(2026, 2, 2, 12) }
const decide = (rules: readonly NamedRule[], hasMask = true) =>
  decideOutcome(engine, policySetOf(rules), question, hasMask)

const masks = rule({ id: "masks", reveal: "masked" })
const full = rule({ id: "full" })
const forbid = (changes: Partial<NamedRule> = {}) => rule({ id: "forbids", effect: "forbid", ...changes })

describe("whether a value is seen in full or masked", () => {
  test.each<[string, readonly NamedRule[], string, readonly string[]]>([
    ["a policy for masks permits masks", [masks], "masked", ["masks"]],
    ["a policy for full values wins over one for masks", [masks, full], "permit", ["full"]],
    ["a policy that forbids without saying what forbids both", [masks, full, forbid()], "deny", ["forbids"]],
    ["one that forbids full values leaves masks", [full, forbid({ reveal: "full" })], "masked", ["full"]],
    ["one that forbids masks leaves full values", [full, forbid({ reveal: "masked" })], "permit", ["full"]],
    [
      "one that forbids masks denies who may see masks only",
      [masks, forbid({ reveal: "masked" })],
      "deny",
      [],
    ],
    ["nothing permits anything by itself", [forbid({ reveal: "full" })], "deny", ["forbids"]],
    [
      "in Cedar, a policy names the action",
      [rawRule('permit(principal, action == Action::"Mask", resource);', { id: "raw" })],
      "masked",
      ["raw"],
    ],
    [
      "in Cedar, a policy without an action is about both",
      [
        rawRule("permit(principal, action, resource);", { id: "raw" }),
        rawRule('forbid(principal, action == Action::"Decrypt", resource);', { id: "not", effect: "forbid" }),
      ],
      "masked",
      ["raw"],
    ],
    [
      "a policy that cannot be evaluated denies both",
      [
        masks,
        rawRule(
          'forbid(principal, action == Action::"Decrypt", resource) when { context.ip.isIpv4() && 9223372036854775807 + 1 > 0 };',
          { id: "fails", effect: "forbid" },
        ),
      ],
      "deny",
      ["fails"],
    ],
  ])("%s", (_, rules, decision, policyIds) => {
    expect(decide(rules)).toMatchObject({ decision, policyIds })
  })

  test("a policy that requires a reason permits nothing without one, full or masked", () => {
    const reasoned = rule({ id: "reasoned", requiresReason: true })
    expect(decide([reasoned])).toEqual({
      decision: "deny",
      reason: "reason-required",
      policyIds: ["reasoned"],
    })
    expect(decide([reasoned, masks])).toMatchObject({ decision: "masked", policyIds: ["masks"] })
    expect(decide([reasoned, full])).toMatchObject({ decision: "permit", policyIds: ["full"] })
    expect(decide([reasoned, forbid()])).toMatchObject({ decision: "deny", reason: "forbidden" })
    const asked = { ...question, context: contextOf({ hasReason: true }) }
    const decided = decideOutcome(engine, policySetOf([reasoned, masks]), asked, true)
    expect(decided).toMatchObject({ decision: "permit", policyIds: ["reasoned"] })
  })

  test("a policy for masks that requires a reason says so to who sends none, whatever denies full values", () => {
    const reasoned = rule({ id: "reasoned", reveal: "masked", requiresReason: true })
    const verdict = { decision: "deny", reason: "reason-required", policyIds: ["reasoned"] }
    expect(decide([reasoned])).toEqual(verdict)
    expect(decide([reasoned, forbid({ reveal: "full" })])).toEqual(verdict)
    expect(decide([reasoned, forbid()])).toMatchObject({ decision: "deny", reason: "forbidden" })
    expect(decide([reasoned], false)).toMatchObject({ decision: "deny", reason: "no-policy-permits" })
    const asked = { ...question, context: contextOf({ hasReason: true }) }
    expect(decideOutcome(engine, policySetOf([reasoned]), asked, true)).toMatchObject({ decision: "masked" })
  })

  test("no policy masks values of a role without a mask", () => {
    expect(decide([masks], false)).toMatchObject({ decision: "deny", reason: "no-policy-permits" })
    expect(decide([full, forbid({ reveal: "full" })], false)).toMatchObject({ reason: "forbidden" })
  })

  test("is, for any policies, as written down", () => {
    const policies = fc.array(
      fc.record({
        effect: fc.constantFrom("permit" as const, "forbid" as const),
        reveal: fc.constantFrom(...REVEAL_LEVELS, undefined),
      }),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(policies, (made) => {
        const rules = made.map((each, index) => rule({ id: `policy_${index}`, ...each }))
        const has = (effect: string, ...reveals: readonly unknown[]) =>
          made.some((each) => each.effect === effect && reveals.includes(each.reveal))
        const isFull = has("permit", "full", undefined) && !has("forbid", "full", undefined)
        const isMasked = has("permit", "full", "masked", undefined) && !has("forbid", "masked", undefined)
        expect(decide(rules).decision).toBe(isFull ? "permit" : isMasked ? "masked" : "deny")
      }),
    )
  })
})
