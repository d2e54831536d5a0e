import { describe, expect, test } from "vitest"
import { instantiateCedar } from "./cedar.ts"
import { compileRule } from "./compile-rule.ts"
import { timeUseOf } from "./time-use.ts"

const cedar = instantiateCedar()
const useOf = (condition: string) => {
  const text = `permit (principal, action, resource) when { ${condition} };`
  return timeUseOf([compileRule(cedar, { effect: "permit", conditions: null, cedar: text }).tree])
}

describe("the time that a policy reads", () => {
  test.each([
    ['context.source == "api"', { instant: false, clock: false }],
    ['context.time < datetime("2030-01-01")', { instant: true, clock: false }],
    ["context has time", { instant: true, clock: false }],
    ['context.clock.hasTag("UTC")', { instant: false, clock: true }],
    ["context == context", { instant: true, clock: true }],
    [
      'if context has ip then context.source == "api" else {a: context}.a has time',
      { instant: true, clock: true },
    ],
  ])("is found: %s", (condition, use) => {
    expect(useOf(condition)).toMatchObject(use)
  })

  test("includes the zones that it names", () => {
    const condition = `context.clock.hasTag("Europe/Dublin") && context.clock.getTag("Europe/Dublin").minuteOfDay > 1
      || context.clock.hasTag("Nowhere/Land")`
    expect(useOf(condition)).toEqual({ instant: false, clock: true, timeZones: ["Europe/Dublin"] })
  })
})
