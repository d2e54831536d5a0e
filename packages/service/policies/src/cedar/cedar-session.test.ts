import { describe, expect, test } from "vitest"
import { policySetOf } from "../rules/policy-set.ts"
import { contextOf, rawRule, rule } from "../testing/rules.ts"
import { type Cedar, instantiateCedar } from "./cedar.ts"
import { createCedarSession } from "./cedar-session.ts"
import { CedarTrapError } from "./guard-cedar.ts"
import { checkRawPolicy } from "./raw-policy.ts"

const question = { appId: "app_1", role: "pci", context: contextOf(), timeMs: 0 }
const NESTED = `permit(principal, action, resource) when {${"(".repeat(600)}true${")".repeat(600)}};`
const TEXT = "permit(principal, action, resource);"

/** Creates a session whose instances of Cedar trap in chosen calls, as real ones do. */
function setUp(traps: (call: keyof Cedar, instance: number) => boolean = () => false) {
  const failures: unknown[] = []
  const calls: string[] = []
  let instances = 0
  const session = createCedarSession(
    () => {
      const instance = ++instances
      const cedar = instantiateCedar()
      const traced =
        <Arguments extends readonly unknown[], Answer>(
          name: keyof Cedar,
          call: (...args: Arguments) => Answer,
        ) =>
        (...args: Arguments): Answer => {
          calls.push(name)
          if (traps(name, instance)) cedar.policySetTextToParts(NESTED)
          return call(...args)
        }
      return {
        isAuthorized: traced("isAuthorized", cedar.isAuthorized),
        statefulIsAuthorized: traced("statefulIsAuthorized", cedar.statefulIsAuthorized),
        preparsePolicySet: traced("preparsePolicySet", cedar.preparsePolicySet),
        policyToJson: traced("policyToJson", cedar.policyToJson),
        policyToText: traced("policyToText", cedar.policyToText),
        formatPolicies: traced("formatPolicies", cedar.formatPolicies),
        policySetTextToParts: traced("policySetTextToParts", cedar.policySetTextToParts),
        validate: traced("validate", cedar.validate),
      }
    },
    { onFailure: (error) => failures.push(error) },
  )
  return { ...session, failures, calls, instances: () => instances }
}

describe("a trapped instance of Cedar", () => {
  test("stays broken, which is why it must be replaced", () => {
    const cedar = instantiateCedar()
    expect(() => cedar.policySetTextToParts(NESTED)).toThrow()
    expect(() => cedar.policySetTextToParts(TEXT)).toThrow()
  })

  test("is replaced on the next call, reported once, and never used again", () => {
    const { cedar, failures, instances } = setUp()
    const broken = cedar()
    expect(() => broken.policySetTextToParts(NESTED)).toThrow(CedarTrapError)
    expect(() => broken.policySetTextToParts(TEXT)).toThrow("discarded")
    expect(cedar().policySetTextToParts(TEXT)).toMatchObject({ type: "success" })
    expect(cedar()).toBe(cedar())
    expect(failures).toEqual([expect.any(CedarTrapError)])
    expect(instances()).toBe(2)
  })

  test("leaves instances of other sessions working", () => {
    const [one, other] = [setUp(), setUp()]
    const kept = other.cedar()
    expect(() => one.cedar().policySetTextToParts(NESTED)).toThrow(CedarTrapError)
    expect(kept.policySetTextToParts(TEXT)).toMatchObject({ type: "success" })
    expect(other.cedar()).toBe(kept)
  })

  test.each([["policySetTextToParts"], ["policyToJson"], ["validate"]] as const)(
    "refuses the policy that it was checking, in %s, and accepts the next one",
    (trapping) => {
      const { cedar } = setUp((call, instance) => call === trapping && instance === 1)
      expect(checkRawPolicy(cedar(), TEXT, "permit")?.reason).toBe(
        "Cedar cannot process this policy. Make it shorter or less nested",
      )
      expect(checkRawPolicy(cedar(), TEXT, "permit")).toBeNull()
    },
  )
})

describe("a decision", () => {
  const set = policySetOf([rawRule(TEXT)])
  const DENIED = { decision: "deny", reason: "evaluation-error", policyIds: [] }

  test.each([["policySetTextToParts"], ["preparsePolicySet"], ["statefulIsAuthorized"]] as const)(
    "is a denial when Cedar traps in %s, and correct the next time, for the same role",
    async (trapping) => {
      const { engine, failures } = setUp((call, instance) => call === trapping && instance === 1)
      expect(engine.decide(set, question)).toEqual(DENIED)
      await engine.prepare(set)
      expect(engine.decide(set, question)).toMatchObject({ decision: "permit" })
      expect(failures.length).toBe(1)
    },
  )

  test("on a role is correct after Cedar trapped on another whose sets it had parsed", () => {
    const { engine, cedar } = setUp()
    const forbids = policySetOf([rule(), rule({ id: "policy_2", effect: "forbid" })])
    const decide = () => [engine.decide(set, question).decision, engine.decide(forbids, question).decision]
    expect(decide()).toEqual(["permit", "deny"])
    expect(() => cedar().policySetTextToParts(NESTED)).toThrow(CedarTrapError)
    expect(decide()).toEqual(["permit", "deny"])
  })

  test("on policies that trap every time costs two instances, not one per request", async () => {
    const { engine, instances } = setUp((call) => call === "policyToJson")
    for (let round = 0; round < 10; round++) {
      await engine.prepare(set)
      expect(engine.decide(set, question)).toEqual(DENIED)
    }
    expect(instances()).toBeLessThanOrEqual(3)
    expect(engine.decide(policySetOf([rule()]), question)).toMatchObject({ decision: "permit" })
  })

  test("is prepared once for all waiting requests, and yields to others", async () => {
    const { engine, calls } = setUp()
    const large = policySetOf(
      Array.from({ length: 20 }, (_, index) => rawRule(TEXT, { id: `policy_${index}` })),
    )
    let turns = 0
    let isPrepared = false
    const turn = () => {
      turns++
      if (!isPrepared) setImmediate(turn)
    }
    setImmediate(turn)
    await Promise.all([1, 2, 3].map(() => engine.prepare(large)))
    isPrepared = true
    expect(calls.filter((call) => call === "policyToJson").length).toBe(20)
    expect(turns).toBeGreaterThanOrEqual(20)
    const before = calls.length
    expect(engine.decide(large, question)).toMatchObject({ decision: "permit" })
    expect(calls.slice(before)).toEqual(["statefulIsAuthorized"])
  })

  test("on an unreadable set is always a denial, even when it is prepared", async () => {
    const { engine, calls } = setUp()
    const broken = policySetOf([rawRule("permit everything;")])
    for (let round = 0; round < 3; round++) {
      await engine.prepare(broken)
      expect(engine.decide(broken, question)).toEqual(DENIED)
    }
    expect(calls).toEqual(["policySetTextToParts"])
  })

  test("explains no policy as matching when Cedar traps on it", () => {
    const { engine } = setUp((call, instance) => call === "isAuthorized" && instance === 1)
    expect(engine.match(rule(), question)).toEqual({ matched: false, failedConditions: ["cedar"] })
    expect(engine.match(rule(), question)).toEqual({ matched: true, failedConditions: [] })
  })
})

describe("a set that Cedar parses in parts", () => {
  const ranges = Array.from({ length: 100 }, (_, index) => `198.51.${index}.0/24`)
  const heavy = (id: string, changes = {}) => rule({ id, conditions: { ipRanges: ranges, ...changes } })
  const many = Array.from({ length: 20 }, (_, index) => heavy(`policy_${index}`))
  const parts = (calls: readonly string[]) => calls.filter((call) => call === "preparsePolicySet").length

  test("is decided as one: any forbid wins, in whichever part it is", () => {
    const { engine, calls } = setUp()
    const decide = (...rules: Parameters<typeof policySetOf>[0]) =>
      engine.decide(policySetOf(rules), question)
    expect(decide(...many)).toEqual({ decision: "deny", reason: "no-policy-permits", policyIds: [] })
    expect(parts(calls)).toBeGreaterThan(2)
    const permits = rule({ id: "policy_permits" })
    const forbids = rule({ id: "policy_forbids", effect: "forbid" })
    expect(decide(...many, permits)).toEqual({
      decision: "permit",
      reason: "permitted",
      policyIds: ["policy_permits"],
    })
    for (const rules of [
      [permits, ...many, forbids],
      [forbids, ...many, permits],
    ]) {
      expect(decide(...rules)).toEqual({
        decision: "deny",
        reason: "forbidden",
        policyIds: ["policy_forbids"],
      })
    }
  })

  test("is denied when a policy of one part fails and one of another permits", () => {
    const { engine } = setUp()
    const clock = `context.clock.hasTag("UTC") && context.clock.getTag("UTC").minuteOfDay`
    const overflow = `permit(principal, action, resource) when { ${clock} * 9223372036854775807 > 0 };`
    const failing = rawRule(overflow, { id: "policy_fails" })
    const noon = { ...question, timeMs: Date.UTC(2026, 2, 2, 12) }
    expect(engine.decide(policySetOf([rule(), ...many, failing]), noon)).toEqual({
      decision: "deny",
      reason: "evaluation-error",
      policyIds: ["policy_fails"],
    })
  })
})
