import { describe, expect, test } from "vitest"
import { eventPatternsSchema } from "./event-patterns.ts"

const isTaken = (value: unknown) => eventPatternsSchema.safeParse(value).success

describe("the event patterns of an endpoint", () => {
  test.each([
    [["*"]],
    [["function.run.completed", "relay.error", "audit-log.event"]],
    [["function.deployment.started", "function.deployment.updated", "function.deployment.finished"]],
    [["payments.*"]],
    [["payments.merchant.updated", "payments.3ds-session.success", "payments.account-updater.updated"]],
    [Array.from({ length: 20 }, (_, index) => `payments.a${index}`)],
  ])("are accepted: %j", (events) => expect(isTaken(events)).toBe(true))

  test.each([
    [[]],
    ["*"],
    [null],
    [[null]],
    [[""]],
    [["**"]],
    [["*.*"]],
    [["function.*"]],
    [["function.run"]],
    [["relay.error "]],
    [["Relay.error"]],
    [["webhook.test"]],
    [["payments"]],
    [["payments."]],
    [["payments.*.updated"]],
    [["payments..updated"]],
    [["payments.a.b.c.d.e"]],
    [[`payments.${"a".repeat(41)}`]],
    [["payments.a\n"]],
    [["relay.error", "relay.error"]],
    [Array.from({ length: 21 }, (_, index) => `payments.a${index}`)],
  ])("are refused: %j", (events) => expect(isTaken(events)).toBe(false))

  test("are not repeated in the reason for their refusal", () => {
    const { error } = eventPatternsSchema.safeParse(["secret-marker", "relay.error", "relay.error"])
    expect(error?.issues.length).toBeGreaterThan(0)
    expect(JSON.stringify(error?.issues.map(({ message }) => message))).not.toContain("secret-marker")
  })
})
