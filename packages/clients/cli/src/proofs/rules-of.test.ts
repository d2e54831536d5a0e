import { expect, test } from "vitest"
import { rulesOf } from "./rules-of.ts"

test("a rule keeps what its policy reveals, and whether it requires a reason", async () => {
  const what = { reveal: "masked", requiresReason: true } as const
  const policy = { name: "support", effect: "permit", roles: ["pci"], conditions: {}, ...what } as const
  expect(await rulesOf([policy], "pci")).toEqual([
    { id: "support", name: "support", effect: "permit", conditions: {}, cedar: null, ...what },
  ])
})
