import * as cedar from "@cedar-policy/cedar-wasm/nodejs"
import { describe, expect, test } from "vitest"
import type { Conditions } from "../rules/conditions.ts"
import { policySetOf } from "../rules/policy-set.ts"
import { contextOf, rule } from "../testing/rules.ts"
import { createPolicyEngine } from "./policy-engine.ts"

const engine = createPolicyEngine(() => cedar)

function isPermitted(time: Conditions["time"], at: string | number): boolean {
  const timeMs = typeof at === "number" ? at : Date.parse(at)
  const question = { appId: "app_1", role: "pci", context: contextOf(), timeMs }
  return engine.decide(policySetOf([rule({ conditions: { time } })]), question).decision === "permit"
}

const daily = (from: string, to: string, timezone: string) => ({ daily: { from, to, timezone } })

describe("a time range", () => {
  const time = { notBefore: "2026-03-01T00:00:00Z", notAfter: "2026-04-01T02:00:00+02:00" }

  test.each([
    ["2026-02-28T23:59:59.999Z", false],
    ["2026-03-01T00:00:00.000Z", true],
    ["2026-03-31T23:59:59.999Z", true],
    ["2026-04-01T00:00:00.000Z", false],
  ])("includes its start and excludes its end: %s is %s", (at, expected) => {
    expect(isPermitted(time, at)).toBe(expected)
  })

  test("may be given to the millisecond", () => {
    const begins = { notBefore: "2026-03-01T00:00:00.500Z" }
    expect(isPermitted(begins, "2026-03-01T00:00:00.499Z")).toBe(false)
    expect(isPermitted(begins, "2026-03-01T00:00:00.500Z")).toBe(true)
  })
})

describe("a daily window", () => {
  test.each([
    ["2026-01-05T08:59:59.999Z", false],
    ["2026-01-05T09:00:00.000Z", true],
    ["2026-01-05T17:29:59.999Z", true],
    ["2026-01-05T17:30:00.000Z", false],
  ])("includes its first minute and excludes its last: %s is %s", (at, expected) => {
    expect(isPermitted(daily("09:00", "17:30", "UTC"), at)).toBe(expected)
  })

  test.each([
    ["2026-01-05T21:59:59.999Z", false],
    ["2026-01-05T22:00:00.000Z", true],
    ["2026-01-05T23:59:59.999Z", true],
    ["2026-01-06T00:00:00.000Z", true],
    ["2026-01-06T05:59:59.999Z", true],
    ["2026-01-06T06:00:00.000Z", false],
    ["2026-01-06T12:00:00.000Z", false],
  ])("spans midnight when it ends before it starts: %s is %s", (at, expected) => {
    expect(isPermitted(daily("22:00", "06:00", "UTC"), at)).toBe(expected)
  })

  test("may end or start at midnight", () => {
    expect(isPermitted(daily("22:00", "00:00", "UTC"), "2026-01-05T23:59:59.999Z")).toBe(true)
    expect(isPermitted(daily("22:00", "00:00", "UTC"), "2026-01-06T00:00:00.000Z")).toBe(false)
    expect(isPermitted(daily("00:00", "00:01", "UTC"), "2026-01-06T00:00:59.999Z")).toBe(true)
    expect(isPermitted(daily("00:00", "00:01", "UTC"), "2026-01-06T00:01:00.000Z")).toBe(false)
  })

  // Dublin's clocks change from 01:00 to 02:00 on 29 March 2026, and from 02:00 to 01:00 on 25 October.
  test.each([
    ["the day before spring's change", "2026-03-28T08:59:59.999Z", "2026-03-28T09:00:00.000Z"],
    ["the day of spring's change", "2026-03-29T07:59:59.999Z", "2026-03-29T08:00:00.000Z"],
    ["a day of summer", "2026-07-01T07:59:59.999Z", "2026-07-01T08:00:00.000Z"],
    ["the day of autumn's change", "2026-10-25T08:59:59.999Z", "2026-10-25T09:00:00.000Z"],
  ])("starts by local time: %s", (_day, before, begins) => {
    expect(isPermitted(daily("09:00", "17:00", "Europe/Dublin"), before)).toBe(false)
    expect(isPermitted(daily("09:00", "17:00", "Europe/Dublin"), begins)).toBe(true)
  })

  test("in the hour that the clocks skip in spring does not occur", () => {
    for (let at = Date.parse("2026-03-29T00:00:00Z"); at < Date.parse("2026-03-29T03:00:00Z"); at += 60_000) {
      expect(isPermitted(daily("01:15", "01:45", "Europe/Dublin"), at)).toBe(false)
    }
  })

  test("in the hour that autumn has twice occurs twice", () => {
    const permitted: string[] = []
    for (
      let at = Date.parse("2026-10-25T00:00:00Z");
      at < Date.parse("2026-10-25T03:00:00Z");
      at += 15 * 60_000
    ) {
      if (isPermitted(daily("01:15", "01:45", "Europe/Dublin"), at))
        permitted.push(new Date(at).toISOString().slice(11, 16))
    }
    expect(permitted).toEqual(["00:15", "00:30", "01:15", "01:30"])
  })

  test("supports zones offset by quarters of an hour, and those a day ahead", () => {
    expect(isPermitted(daily("12:00", "12:01", "Asia/Kathmandu"), "2026-01-05T06:15:00Z")).toBe(true)
    expect(isPermitted(daily("12:00", "12:01", "Pacific/Kiritimati"), "2026-01-04T22:00:00Z")).toBe(true)
    expect(isPermitted(daily("12:00", "12:01", "Pacific/Kiritimati"), "2026-01-04T21:59:59Z")).toBe(false)
  })
})
