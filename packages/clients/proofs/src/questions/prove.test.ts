import { createCedarSession, instantiateCedar, type NamedRule } from "@sealway/policies/analysis"
import type { Property, Region } from "@sealway/policies/files"
import { afterAll, describe, expect, test } from "vitest"
import { createZ3 } from "../solver/z3-solver.ts"
import { prove } from "./prove.ts"

const NOW_MS = Date.UTC(2026, 10, 27, 12)
const solvers = createZ3({ limitMs: 60_000 })
const session = createCedarSession(instantiateCedar)
afterAll(() => solvers.close())

const rule = (
  effect: "permit" | "forbid",
  what: Pick<Partial<NamedRule>, "conditions" | "cedar" | "reveal" | "requiresReason">,
): NamedRule => ({ id: effect, name: effect, effect, conditions: null, cedar: null, ...what })
const permit = (conditions: NamedRule["conditions"]) => rule("permit", { conditions })
const cedar = (effect: "permit" | "forbid", condition: string) =>
  rule(effect, { cedar: `${effect}(principal, action, resource) when { ${condition} };` })

const where = (conditions: NamedRule["conditions"]): Region => ({ conditions: conditions ?? {} })
const never = (conditions: NamedRule["conditions"]): Property => ({
  kind: "never",
  region: where(conditions),
})
const ALL = where({})
const daily = (from: string, to: string, timezone: string) => ({ time: { daily: { from, to, timezone } } })

const run = (property: Property, ...rules: readonly NamedRule[]) =>
  prove(solvers, session, { property, role: "pci", rules, nowMs: NOW_MS })
const resultOf = async (property: Property, ...rules: readonly NamedRule[]) =>
  (await run(property, ...rules)).result

describe("a property", () => {
  test("is proved for all requests, or contradicted by one with only what policies read", async () => {
    const office = permit({ ipRanges: ["10.0.0.0/8"], sources: ["api"] })
    expect(await run(never({ sources: ["relay"] }), office)).toEqual({ result: "proved", untilMs: null })
    expect(await run(never({ sources: ["api"] }), office)).toMatchObject({
      result: "disproved",
      request: { context: { source: "api", ip: expect.stringMatching(/^10\./) } },
    })
  })

  test("of one kind says what its word says", async () => {
    const office = permit({ sources: ["api"], ipRanges: ["10.0.0.0/8"] })
    const [inside, outside] = [where({ ipRanges: ["10.1.0.0/16"] }), where({ ipRanges: ["0.0.0.0/0"] })]
    const api = where({ sources: ["api"] })
    const bothOf = where({ sources: ["api"], ipRanges: ["10.1.0.0/16"] })
    expect(await resultOf({ kind: "only", region: outside }, office)).toBe("proved")
    expect(await resultOf({ kind: "only", region: inside }, office)).toBe("disproved")
    expect(await resultOf({ kind: "always", region: bothOf }, office)).toBe("proved")
    expect(await resultOf({ kind: "always", region: inside }, office)).toBe("disproved")
    expect(await resultOf({ kind: "implies", when: inside, only: api }, office)).toBe("proved")
    expect(await resultOf({ kind: "implies", when: api, only: inside }, office)).toBe("disproved")
  })

  test("is about full values, and counts requests without a reason", async () => {
    const masked = rule("permit", { conditions: { sources: ["api"] }, reveal: "masked" })
    const reasoned = rule("permit", { conditions: { sources: ["api"] }, requiresReason: true })
    expect(await resultOf({ kind: "never", region: ALL }, masked)).toBe("proved")
    expect(await resultOf({ kind: "always", region: where({ sources: ["api"] }) }, masked)).toBe("disproved")
    expect(await resultOf({ kind: "always", region: where({ sources: ["api"] }) }, reasoned)).toBe(
      "disproved",
    )
    expect(await run({ kind: "never", region: ALL }, reasoned)).toMatchObject({
      result: "disproved",
      request: { context: { source: "api", hasReason: true } },
    })
  })

  test("of all requests includes those of enclaves, which a policy without PCRs does not permit", async () => {
    const enclaves = permit({ sources: ["enclave"], enclavePcrs: { pcr0: "ab".repeat(48) } })
    expect(await resultOf({ kind: "never", region: ALL }, enclaves)).toBe("disproved")
    expect(await resultOf({ kind: "never", region: ALL }, permit({ sources: ["enclave"] }))).toBe("proved")
  })

  test("is contradicted by a function that is named like a source, by minus zero, and by a zone that is no literal", async () => {
    const contradicted = [
      "context has function && context.function == context.source",
      "-(0) == 0",
      '!context.clock.hasTag(if true then "Europe/Dublin" else "x")',
    ]
    for (const condition of contradicted) {
      expect(await resultOf({ kind: "never", region: ALL }, cedar("permit", condition))).toBe("disproved")
    }
  })

  test("of more patterns than can be decided in time is unknown", async () => {
    const rules = Array.from({ length: 6 }, (_, policy) => {
      const patterns = Array.from({ length: 50 }, (_, index) => `context.source like "${policy}*${index}"`)
      return { ...cedar("permit", patterns.join(" || ")), id: `policy_${policy}` }
    })
    expect(await run({ kind: "never", region: ALL }, ...rules)).toEqual({
      result: "unknown",
      reasons: ["there are too many patterns of like"],
    })
  })

  test("counts no request twice: a policy that forbids or fails refuses what others permit", async () => {
    const all = permit({})
    expect(await resultOf({ kind: "never", region: ALL }, all, rule("forbid", { conditions: {} }))).toBe(
      "proved",
    )
    expect(
      await resultOf(never({ sources: ["api"] }), all, cedar("permit", 'context.apiKey == ApiKey::"k"')),
    ).toBe("disproved")
    // Without an API key it fails, so that nothing is permitted, not even by the other.
    const withoutKey = "permit(principal, action, resource) when { !(context has apiKey) };"
    const property: Property = { kind: "never", region: { cedar: withoutKey } }
    expect(await resultOf(property, all, cedar("permit", 'context.apiKey == ApiKey::"k"'))).toBe("proved")
  })
})

describe("known hard cases", () => {
  test.each([
    [
      "an address of IPv4 is in no range of IPv6",
      never({ ipRanges: ["::/0"] }),
      permit({ ipRanges: ["0.0.0.0/0"] }),
      "proved",
    ],
    [
      "an IPv4-mapped range is the one of IPv4",
      never({ ipRanges: ["10.0.0.0/8"] }),
      permit({ ipRanges: ["::ffff:10.0.0.0/104"] }),
      "disproved",
    ],
    [
      "an unknown address is in no range",
      { kind: "only", region: where({ ipRanges: ["0.0.0.0/0", "::/0"] }) },
      permit({}),
      "disproved",
    ],
    [
      "PCRs are compared in lower case",
      never({ enclavePcrs: { pcr0: "AB".repeat(48) } }),
      permit({ enclavePcrs: { pcr0: "ab".repeat(48) } }),
      "disproved",
    ],
    [
      "a window over midnight ends before its start",
      never(daily("06:00", "22:00", "UTC")),
      permit(daily("22:00", "06:00", "UTC")),
      "proved",
    ],
    [
      "an error behind || counts where the first is false",
      { kind: "always", region: ALL },
      cedar("permit", 'context.source == "api" || context.function == "f"'),
      "disproved",
    ],
    [
      "a number that overflows is an error",
      never({}),
      cedar(
        "permit",
        'context.clock.getTag("UTC").minuteOfDay * 9007199254740991 >= 0 && context.clock.getTag("UTC").minuteOfDay > 1024',
      ),
      "proved",
    ],
    [
      "a pattern decides the texts that it names",
      never({ relayDestinations: ["api.stripe.com"] }),
      cedar("permit", 'context has relayDestination && context.relayDestination like "*.stripe.com"'),
      "disproved",
    ],
    [
      "a pattern matches no text that it excludes",
      never({ relayDestinations: ["evil.example"] }),
      cedar("permit", 'context has relayDestination && context.relayDestination like "*.stripe.com"'),
      "proved",
    ],
  ] satisfies readonly [string, Property, NamedRule, string][])(
    "%s",
    async (_title, property, policy, expected) => {
      expect(await resultOf(property, policy)).toBe(expected)
    },
  )

  test("a branch that always fails refuses the requests that take it, and no others", async () => {
    const clock = (zone: string) => `context.clock.getTag("${zone}").weekday`
    const policy = cedar(
      "permit",
      `(if context.source == "api" then ${clock("Nowhere/X")} else ${clock("UTC")}) > 0`,
    )
    expect(await run(never({ sources: ["api"] }), policy)).toEqual({ result: "proved", untilMs: null })
    expect(await resultOf(never({ sources: ["relay"] }), policy)).toBe("disproved")
    const failing = `if false then ${clock("UTC")} else ${clock("Nowhere/X")}`
    const both = cedar(
      "permit",
      `(if context.source == "api" then ${clock("Nowhere/X")} else (${failing})) > 0`,
    )
    expect(await run(never({}), both)).toEqual({ result: "proved", untilMs: null })
  })

  test("an hour between two zones exists in the two weeks in which only one has changed its clocks", async () => {
    // From 14 to 28 March 2027 New York is four hours behind Dublin, otherwise five.
    const newYork = permit(daily("08:00", "17:00", "America/New_York"))
    const five = never(daily("21:30", "21:45", "Europe/Dublin"))
    expect(await run(never(daily("22:00", "12:00", "Europe/Dublin")), newYork)).toEqual({
      result: "proved",
      untilMs: NOW_MS + 366 * 86_400_000,
    })
    const proof = await run(five, newYork)
    expect(proof.result).toBe("disproved")
    const hourInMarch = await run(never(daily("12:30", "12:45", "Europe/Dublin")), newYork)
    const time = hourInMarch.result === "disproved" ? (hourInMarch.request.context.time ?? "") : ""
    expect(time >= "2027-03-14" && time < "2027-03-28").toBe(true)
  })
})

describe("what is not known", () => {
  test("is told with the reason when the encoding has no form for it, and is never called proved", async () => {
    const policy = cedar("permit", 'decimal("1.5").lessThan(decimal("1.0"))')
    expect(await run(never({}), policy)).toEqual({
      result: "unknown",
      reasons: ["decimal in Cedar is not decided for all requests"],
    })
  })

  test("does not prevent a proof that does not depend on it", async () => {
    const policy = cedar("permit", 'context.source == "api" && decimal("1.5").lessThan(decimal("2.0"))')
    expect(await resultOf(never({ sources: ["relay"] }), policy)).toBe("proved")
    expect(await resultOf(never({ sources: ["api"] }), policy)).toBe("disproved")
  })

  test("includes what takes longer than the limit, and the next question is answered", async () => {
    const hurried = createZ3({ limitMs: 1 })
    const input = { property: never({}), role: "pci", rules: [permit({})], nowMs: NOW_MS }
    expect(await prove(hurried, session, input)).toEqual({
      result: "unknown",
      reasons: ["no answer within 0.001 seconds"],
    })
    await hurried.close()
    expect(await resultOf(never({}), permit({}))).toBe("disproved")
  })
})
