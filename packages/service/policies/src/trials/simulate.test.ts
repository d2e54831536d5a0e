import * as cedar from "@cedar-policy/cedar-wasm/nodejs"
import { describe, expect, test } from "vitest"
import { createPolicyEngine } from "../cedar/policy-engine.ts"
import type { DecisionRecord } from "../records/decision-record.ts"
import type { NamedRule } from "../rules/data-policy.ts"
import { policySetOf } from "../rules/policy-set.ts"
import { contextOf, rawRule, rule } from "../testing/rules.ts"
import { MAX_CHANGES, simulate } from "./simulate.ts"

const NOON_MS = Date.UTC(2026, 2, 2, 12)
const engine = createPolicyEngine(() => cedar)

function record(changes: Partial<DecisionRecord> = {}): DecisionRecord {
  return { role: "pci", context: contextOf(), minuteMs: NOON_MS, decision: "permit", count: 1, ...changes }
}

function run(records: readonly DecisionRecord[], rules: readonly NamedRule[], hasMask = false) {
  const set = policySetOf(rules)
  const none = policySetOf([])
  const setOf = (role: string) => (role === "pci" ? set : none)
  return simulate(engine, { appId: "app_1", records, setOf, hasMask: () => hasMask })
}

describe("a simulation", () => {
  test("reports no change when the policies would decide as before", async () => {
    const records = [record({ count: 3 }), record({ role: "pii", decision: "deny", count: 2 })]
    expect(await run(records, [rule()])).toEqual({ evaluated: 5, truncated: false, changes: [] })
  })

  test("reports a decision that would become masked, for a role with a mask only", async () => {
    const rules = [rule({ name: "masks", reveal: "masked" })]
    const { changes } = await run([record()], rules, true)
    expect(changes).toMatchObject([{ before: "permit", after: "masked", policies: ["masks"] }])
    expect((await run([record()], rules)).changes).toMatchObject([{ before: "permit", after: "deny" }])
    expect((await run([record({ decision: "masked" })], rules, true)).changes).toEqual([])
  })

  test("tells what would be masked from what would be permitted, by the same policies", async () => {
    const daily = { from: "18:00", to: "23:00", timezone: "UTC" }
    const rules = [
      rule({ id: "policy_a" }),
      rule({ id: "policy_b", effect: "forbid", reveal: "full", conditions: { time: { daily } } }),
    ]
    const records = [
      record({ decision: "deny", count: 1, minuteMs: NOON_MS + 7 * 3_600_000 }),
      record({ decision: "deny", count: 99 }),
    ]
    expect((await run(records, rules, true)).changes).toMatchObject([
      { before: "deny", after: "permit", count: 99 },
      { before: "deny", after: "masked", count: 1 },
    ])
  })

  test("reports what would be denied and what would be permitted, most frequent first", async () => {
    const relay = contextOf({ source: "relay", relayDestination: "api.example.com" })
    const records = [
      record({ count: 2 }),
      record({ context: relay, decision: "deny", count: 7 }),
      record({ role: "pii", decision: "permit" }),
    ]
    const rules = [rule({ name: "Relays", conditions: { sources: ["relay"] } })]
    const { changes } = await run(records, rules)
    expect(changes).toMatchObject([
      { role: "pci", context: relay, count: 7, before: "deny", after: "permit", policies: ["Relays"] },
      { role: "pci", context: contextOf(), count: 2, before: "permit", after: "deny", policies: [] },
      { role: "pii", count: 1, before: "permit", after: "deny", policies: [] },
    ])
  })

  test("evaluates each minute with its own time, and adds up equal changes", async () => {
    const minute = (index: number) => NOON_MS + index * 60_000
    const records = [3, 2, 1, 0].map((index) => record({ minuteMs: minute(index), count: 10 }))
    const daily = { from: "12:02", to: "13:00", timezone: "UTC" }
    const { changes, evaluated } = await run(records, [rule({ conditions: { time: { daily } } })])
    expect(evaluated).toBe(40)
    expect(changes).toMatchObject([{ count: 20, firstAt: minute(0), lastAt: minute(1), after: "deny" }])
  })

  test("stops before policies that are too many to parse, and says so", async () => {
    const functions = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(128, "f"))
    const rules = Array.from({ length: 400 }, (_, index) =>
      rule({ id: `policy_${index}`, conditions: { functions } }),
    )
    const records = [record({ role: "pii", decision: "deny", count: 2 }), record()]
    expect(await run(records, rules)).toEqual({ evaluated: 2, truncated: true, changes: [] })
  })

  test("stops after half as many decisions on a role with a mask, which take two evaluations each", async () => {
    const long = rawRule(`permit(principal, action, resource); // ${"x".repeat(100_000)}`)
    const records = Array.from({ length: 100 }, (_, index) =>
      record({ context: contextOf({ functionName: `f${index}` }) }),
    )
    const [unmasked, masked] = [await run(records, [long]), await run(records, [long], true)]
    expect([unmasked.evaluated, masked.evaluated]).toEqual([97, 48])
  })

  test("stops when it would take too long, and says so", async () => {
    const rules = Array.from({ length: 99 }, (_, index) =>
      rule({ id: `policy_${index}`, conditions: { functions: ["f"] } }),
    )
    const records = Array.from({ length: 3_000 }, (_, index) =>
      record({ context: contextOf({ functionName: `f${index}` }) }),
    )
    const { evaluated, truncated, changes } = await run(records, rules)
    expect({ evaluated, truncated, changes: changes.length }).toEqual({
      // The cost limit less that of parsing, a hundred for each.
      evaluated: 1_995,
      truncated: true,
      changes: MAX_CHANGES,
    })
  })
})
