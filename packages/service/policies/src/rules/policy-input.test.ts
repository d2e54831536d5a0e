import * as cedar from "@cedar-policy/cedar-wasm/nodejs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { compileRule } from "../cedar/compile-rule.ts"
import { CEDAR_SCHEMA } from "../cedar/schema.ts"
import { conditionsArbitrary } from "../testing/arbitraries.ts"
import { rule } from "../testing/rules.ts"
import { type Conditions, conditionsSchema } from "./conditions.ts"
import { policyInputSchema, ruleOf } from "./policy-input.ts"

const valid = { name: "A policy", effect: "permit", roles: ["pci"], conditions: {} }

/** Returns pointers to all problems, in order. */
function problems(input: unknown): string[] {
  const result = policyInputSchema.safeParse(input)
  return result.success
    ? []
    : result.error.issues.map(({ path }) => path.map((part) => `/${String(part)}`).join(""))
}
const inConditions = (conditions: unknown) => problems({ ...valid, conditions })

describe("a policy", () => {
  test.each([
    ["with empty conditions", valid],
    ["in Cedar", { ...valid, conditions: undefined, cedar: "permit(principal, action, resource);" }],
    ["with a name of any script", { ...valid, name: 'Ärger "1"; 漢字' }],
  ])("is accepted %s", (_what, input) => {
    expect(problems(input)).toEqual([])
  })

  test.each([
    ["no name", { ...valid, name: undefined }, "/name"],
    ["an empty name", { ...valid, name: "" }, "/name"],
    ["a name of 101 characters", { ...valid, name: "n".repeat(101) }, "/name"],
    ["a name over two lines", { ...valid, name: "a\nb" }, "/name"],
    ["another effect", { ...valid, effect: "allow" }, "/effect"],
    ["no role", { ...valid, roles: [] }, "/roles"],
    ["51 roles", { ...valid, roles: Array.from({ length: 51 }, (_, index) => `r${index}`) }, "/roles"],
    ["a role twice", { ...valid, roles: ["pci", "pci"] }, "/roles"],
    ["a role that is no slug", { ...valid, roles: ["pci", "PCI"] }, "/roles/1"],
    ["neither conditions nor Cedar", { ...valid, conditions: undefined }, "/conditions"],
    ["conditions and Cedar", { ...valid, cedar: "permit(principal, action, resource);" }, "/cedar"],
    ["Cedar of more than 10 KB", { ...valid, conditions: undefined, cedar: "x".repeat(10_241) }, "/cedar"],
    ["a member that nobody knows", { ...valid, id: "policy_1" }, ""],
    [
      "a budget that forbids",
      { ...valid, effect: "forbid", conditions: { budget: { values: 1, per: "hour" } } },
      "/conditions/budget",
    ],
  ])("is refused with %s, naming its place", (_what, input, pointer) => {
    expect(problems(input)).toEqual([pointer])
  })
})

describe("conditions", () => {
  test.each<[string, Conditions]>([
    [
      "of every kind",
      {
        sources: ["api", "client-token", "relay", "function", "enclave"],
        relayDestinations: ["API.example.com", "my_host", "localhost:8443", "10.0.0.1:80", "[::1]:80"],
        functions: ["charge"],
        ipRanges: ["10.0.0.0/8", "2001:db8::/32", "::ffff:10.0.0.1"],
        time: {
          notBefore: "2026-01-01T00:00:00Z",
          notAfter: "2026-12-31T23:59:59.999+01:00",
          daily: { from: "22:00", to: "06:00", timezone: "Europe/Dublin" },
        },
        enclavePcrs: { pcr0: "aB".repeat(48), pcr8: "0".repeat(96) },
        apiKeys: ["key_0123456789ab"],
        budget: { values: 1_000_000_000_000, per: "day" },
      },
    ],
    ["with a hundred entries", { functions: Array.from({ length: 100 }, (_, index) => `f${index}`) }],
    [
      "with the first and the last instant",
      { time: { notBefore: "1970-01-01T00:00:00Z", notAfter: "9999-12-31T23:59:59.999Z" } },
    ],
  ])("are accepted %s", (_what, conditions) => {
    expect(inConditions(conditions)).toEqual([])
  })

  test.each([
    ["an empty list", { sources: [] }, "/conditions/sources"],
    ["another source", { sources: ["api", "browser"] }, "/conditions/sources/1"],
    [
      "101 entries",
      { functions: Array.from({ length: 101 }, (_, index) => `f${index}`) },
      "/conditions/functions",
    ],
    ["an entry twice", { apiKeys: ["key_0123456789ab", "key_0123456789ab"] }, "/conditions/apiKeys"],
    [
      "a URL in the place of a host",
      { relayDestinations: ["https://api.example.com"] },
      "/conditions/relayDestinations/0",
    ],
    ["a host with an empty label", { relayDestinations: ["a..example"] }, "/conditions/relayDestinations/0"],
    ["half an A-label", { relayDestinations: ["a.example", "xn--:8443"] }, "/conditions/relayDestinations/1"],
    ["a host with a wildcard", { relayDestinations: ["*.example.com"] }, "/conditions/relayDestinations/0"],
    ["a function without a name", { functions: [""] }, "/conditions/functions/0"],
    ["a function's name with a line break", { functions: ["a\nb"] }, "/conditions/functions/0"],
    ["a range with bits beyond its prefix", { ipRanges: ["10.0.0.1/8"] }, "/conditions/ipRanges/0"],
    ["a range over 32 bits", { ipRanges: ["10.0.0.0/8", "10.0.0.0/33"] }, "/conditions/ipRanges/1"],
    ["no time", { time: {} }, "/conditions/time"],
    [
      "a time without an offset",
      { time: { notBefore: "2026-01-01T00:00:00" } },
      "/conditions/time/notBefore",
    ],
    ["a date", { time: { notAfter: "2026-01-01" } }, "/conditions/time/notAfter"],
    ["a time in milliseconds", { time: { notAfter: 1767225600000 } }, "/conditions/time/notAfter"],
    ["a day that no month has", { time: { notAfter: "2026-02-30T00:00:00Z" } }, "/conditions/time/notAfter"],
    ["an instant before 1970", { time: { notBefore: "1969-12-31T23:59:59Z" } }, "/conditions/time/notBefore"],
    [
      "an instant after 9999",
      { time: { notAfter: "9999-12-31T23:59:59-01:00" } },
      "/conditions/time/notAfter",
    ],
    [
      "an end that is the beginning",
      { time: { notBefore: "2026-01-01T01:00:00+01:00", notAfter: "2026-01-01T00:00:00Z" } },
      "/conditions/time/notAfter",
    ],
    [
      "24:00",
      { time: { daily: { from: "00:00", to: "24:00", timezone: "UTC" } } },
      "/conditions/time/daily/to",
    ],
    [
      "9:00",
      { time: { daily: { from: "9:00", to: "17:00", timezone: "UTC" } } },
      "/conditions/time/daily/from",
    ],
    [
      "a window without length",
      { time: { daily: { from: "09:00", to: "09:00", timezone: "UTC" } } },
      "/conditions/time/daily/to",
    ],
    [
      "a zone that is none",
      { time: { daily: { from: "09:00", to: "10:00", timezone: "Mars/Phobos" } } },
      "/conditions/time/daily/timezone",
    ],
    [
      "an offset as a zone",
      { time: { daily: { from: "09:00", to: "10:00", timezone: "+01:00" } } },
      "/conditions/time/daily/timezone",
    ],
    ["enclaves of any image", { sources: ["api", "enclave"] }, "/conditions/enclavePcrs"],
    [
      "enclaves with a kernel and an application that others may have",
      { sources: ["enclave"], enclavePcrs: { pcr1: "1".repeat(96), pcr2: "2".repeat(96) } },
      "/conditions/enclavePcrs",
    ],
    ["no PCR", { enclavePcrs: {} }, "/conditions/enclavePcrs"],
    [
      "PCRs that others may have, without a source",
      { enclavePcrs: { pcr1: "1".repeat(96), pcr2: "2".repeat(96) } },
      "/conditions/enclavePcrs",
    ],
    ["a PCR that is too short", { enclavePcrs: { pcr0: "0".repeat(95) } }, "/conditions/enclavePcrs/pcr0"],
    ["a PCR that is no digits", { enclavePcrs: { pcr8: "g".repeat(96) } }, "/conditions/enclavePcrs/pcr8"],
    [
      "a PCR that is not asked for",
      { enclavePcrs: { pcr0: "0".repeat(96), pcr3: "0".repeat(96) } },
      "/conditions/enclavePcrs",
    ],
    ["an API key in the place of its id", { apiKeys: ["swk_sandbox_x"] }, "/conditions/apiKeys/0"],
    ["a budget of nothing", { budget: { values: 0, per: "hour" } }, "/conditions/budget/values"],
    ["half a value", { budget: { values: 1.5, per: "hour" } }, "/conditions/budget/values"],
    ["a budget per week", { budget: { values: 1, per: "week" } }, "/conditions/budget/per"],
    ["a condition that nobody knows", { ip: ["10.0.0.1"] }, "/conditions"],
  ])("are refused with %s, naming the place", (_what, conditions, pointer) => {
    expect(inConditions(conditions)).toEqual([pointer])
  })

  test("compile to Cedar that matches the schema whenever they are accepted", () => {
    fc.assert(
      fc.property(
        conditionsArbitrary,
        fc.constantFrom("permit" as const, "forbid" as const),
        (conditions, effect) => {
          fc.pre(conditionsSchema.safeParse(conditions).success)
          const { policy } = compileRule(cedar, rule({ conditions, effect }))
          const answer = cedar.validate({ schema: CEDAR_SCHEMA, policies: { staticPolicies: { policy } } })
          expect(answer).toMatchObject({ type: "success", validationErrors: [] })
        },
      ),
      { numRuns: 150 },
    )
  })

  test("with the maximum number of entries compile to Cedar that matches the schema", () => {
    const names = Array.from({ length: 100 }, (_, index) => `f${index}`)
    const conditions = {
      functions: names,
      relayDestinations: names,
      ipRanges: names.map((_, index) => `10.${index}.0.0/16`),
      apiKeys: names.map((name) => `key_0123456789ab${name}`),
    }
    const input = { ...valid, effect: "permit" as const, conditions }
    expect(problems(input)).toEqual([])
    const { policy } = compileRule(cedar, ruleOf(input))
    const answer = cedar.validate({ schema: CEDAR_SCHEMA, policies: { staticPolicies: { policy } } })
    expect(answer).toMatchObject({ type: "success", validationErrors: [] })
  })
})
