import { expect, test } from "vitest"
import { ruleOfFile } from "./run-proofs.ts"

test("the rule of a file's policy keeps what it reveals, and whether it requires a reason", () => {
  const what = { reveal: "masked", requiresReason: true } as const
  expect(
    ruleOfFile({ name: "support", effect: "permit", roles: ["pci"], conditions: {}, ...what }),
  ).toMatchObject({ id: "support", ...what })
})
