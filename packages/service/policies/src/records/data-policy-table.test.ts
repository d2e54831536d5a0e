import { expect, test } from "vitest"
import { policyRecords } from "./data-policy-table.ts"

const ITEM = {
  id: "policy_1",
  name: "The office",
  effect: "permit",
  roles: [{ id: "role_1", slug: "pci" }],
  conditions: { sources: ["api"] },
  cedar: null,
  createdAt: 1,
  updatedAt: 1,
  revision: 1,
}

test("reads a policy with fields of a later release", () => {
  expect(policyRecords.read({ ...ITEM, ofLaterRelease: "x" })).toEqual(ITEM)
})

test.each([
  ["a condition", { conditions: { sources: ["api"], moonPhase: "full" } }],
  ["a part of a condition", { conditions: { time: { notBefore: "2026-01-31T00:00:00Z", weekdays: [1] } } }],
  ["a source", { conditions: { sources: ["satellite"] } }],
  ["an effect", { effect: "ask" }],
])("refuses a policy with %s that it does not know, instead of ignoring it", (_, change) => {
  expect(() => policyRecords.read({ ...ITEM, ...change })).toThrow(
    expect.objectContaining({ name: "ZodError" }),
  )
})
