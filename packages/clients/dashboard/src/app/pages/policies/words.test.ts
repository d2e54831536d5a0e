import { expect, test } from "vitest"
import { policyInWords } from "./words.ts"

test.each([
  [{ effect: "permit", conditions: {} }, "Permits anyone with a key, from anywhere."],
  [
    { effect: "permit", reveal: "masked", conditions: {} },
    "Permits masks for anyone with a key, from anywhere.",
  ],
  [
    { effect: "permit", conditions: { budget: { values: 5, per: "day" } } },
    "Permits anyone with a key, from anywhere, at most 5 values per day and API key.",
  ],
  [{ effect: "forbid", reveal: "full", conditions: {} }, "Forbids full values always."],
  [
    { effect: "permit", requiresReason: true, conditions: { sources: ["api"] } },
    "Permits for a reason, through POST /decrypt.",
  ],
  [{ effect: "forbid", cedar: "forbid(principal, action, resource);" }, "Forbids what its Cedar text says."],
  [
    { effect: "forbid", conditions: { sources: ["relay", "function"] } },
    "Forbids through relays or functions.",
  ],
  [
    {
      effect: "permit",
      conditions: {
        ipRanges: ["10.0.0.0/8", "192.0.2.0/24", "2001:db8::/32", "198.51.100.7"],
        time: { daily: { from: "09:00", to: "17:30", timezone: "Europe/Dublin" } },
        budget: { values: 1000, per: "hour" },
      },
    },
    "Permits from 10.0.0.0/8, 192.0.2.0/24, 2001:db8::/32 or 1 more, from 09:00 to 17:30 (Europe/Dublin), at most 1,000 values per hour and API key.",
  ],
] as const)("a policy is told in words: %j", (policy, words) => {
  expect(policyInWords(policy)).toBe(words)
})
