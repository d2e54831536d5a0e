import { expect, test } from "vitest"
import { linesOfMeaning } from "./describe-plan.ts"

const NONE = { known: true, requests: [], isComplete: true, untilMs: null } as const
const SAME = {
  role: "pci",
  permitted: NONE,
  refused: NONE,
  changesBudgets: false,
  changesMask: false,
  warnings: [],
} as const

test("a change that changes nothing says that no request is decided otherwise", () => {
  expect(linesOfMeaning(SAME)).toEqual([
    "role pci, for all possible requests:",
    "  no request is decided otherwise",
  ])
})

test("what is not known is said with its reason, and never taken for nothing", () => {
  expect(
    linesOfMeaning({ ...SAME, refused: { known: false, reason: "no answer within 10 seconds" } }),
  ).toEqual([
    "role pci, for all possible requests:",
    "  newly refused:",
    "    unknown: no answer within 10 seconds",
  ])
})

test("a change says when it lists only some of what it opens, and warns about its policies", () => {
  const request = { words: "through the API", parts: [] }
  const permitted = { ...NONE, requests: [request], isComplete: false }
  const warning = {
    role: "pci",
    policy: "office",
    kind: "never-applies",
    reason: "it applies to no request",
  } as const
  expect(
    linesOfMeaning({ ...SAME, permitted, changesBudgets: true, changesMask: true, warnings: [warning] }),
  ).toEqual([
    "role pci, for all possible requests:",
    "  newly permitted:",
    "    through the API",
    "    and more",
    "  budgets change, which is not compared",
    "  the role gets a mask or loses it, which is not compared",
    "  warning: office: it applies to no request (never-applies)",
  ])
})
