import { expect, test } from "vitest"
import { findingsOf } from "./findings.ts"

test("groups leaks by place, with the latest request of each", () => {
  const leak = (path: string) => ({ direction: "request" as const, path })
  const requests = [
    { id: "new", createdAt: 3, leaks: [leak("$['note']")] },
    { id: "middle", createdAt: 2, leaks: [leak("$['a']"), leak("$['note']")] },
    { id: "old", createdAt: 1, leaks: [] },
  ]
  expect(findingsOf(requests)).toEqual([
    { ...leak("$['note']"), count: 2, latest: { id: "new", createdAt: 3 } },
    { ...leak("$['a']"), count: 1, latest: { id: "middle", createdAt: 2 } },
  ])
})
