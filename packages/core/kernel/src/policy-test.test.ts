import { expect, test } from "vitest"
import { failureOfPolicyTest } from "./policy-test.ts"

const OUTCOME = { decision: "permit", deciding: ["Office"], dependsOnTime: false, missing: [] } as const
const EXPECTED = { expect: "permit", decidedBy: undefined, hasTime: false } as const

test("a test of policies passes when the decision, and those who decide, are as expected", () => {
  expect(failureOfPolicyTest(EXPECTED, OUTCOME)).toBeNull()
  expect(failureOfPolicyTest({ ...EXPECTED, decidedBy: ["Office"] }, OUTCOME)).toBeNull()
  const timed = { ...OUTCOME, dependsOnTime: true }
  expect(failureOfPolicyTest({ ...EXPECTED, hasTime: true }, timed)).toBeNull()
})

test.each([
  ["names a policy that the role does not have", {}, { missing: ["No relays"] }, /No relays/],
  ["has no time where policies check it", {}, { dependsOnTime: true }, /time/],
  ["expects another decision", { expect: "deny" }, {}, /The decision is permit/],
  ["expects other policies to decide", { decidedBy: ["Office", "Home"] }, {}, /Decided by: Office/],
  ["expects a policy where none decides", { decidedBy: ["Office"] }, { deciding: [] }, /no policy/],
] as const)("a test of policies fails when it %s", (_, expected, outcome, reason) => {
  expect(failureOfPolicyTest({ ...EXPECTED, ...expected }, { ...OUTCOME, ...outcome })).toMatch(reason)
})
