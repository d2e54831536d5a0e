import fc from "fast-check"
import { type Conditions, SOURCES } from "../rules/conditions.ts"
import type { NamedRule } from "../rules/data-policy.ts"
import type { DecisionContext } from "../rules/decision.ts"
import { REFERENCE_ZONES } from "./reference-evaluator.ts"

const HOSTS = ["api.example.com", "API.example.com", "localhost:8080", "127.0.0.1:1"]
const FUNCTIONS = [
  "charge",
  'a"b',
  "a\nb",
  '"); permit(principal, action, resource); //',
  "__proto__",
  "\\",
  "é",
]
const KEYS = ["key_0123456789ab", "key_zzzzzzzzzzzz"]
const PCRS = ["ab".repeat(48), "AB".repeat(48), "00".repeat(48)]
const RANGES = [
  "10.0.0.0/8",
  "10.1.2.3",
  "0.0.0.0/0",
  "192.168.1.128/25",
  "::/0",
  "2001:db8::/32",
  "::1/128",
  "::ffff:10.0.0.0/104",
]
const IPS = [
  "10.1.2.3",
  "10.1.2.4",
  "192.168.1.127",
  "192.168.1.128",
  "::1",
  "2001:db8::7",
  "2001:db9::",
  "::ffff:10.1.2.3",
  "::ffff:c0a8:180",
]
const FIRST_MS = Date.UTC(2008, 0, 1)
const LAST_MS = Date.UTC(2037, 0, 1)

const oneOrMore = <Value>(values: readonly Value[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })

export const timeArbitrary = fc.integer({ min: FIRST_MS, max: LAST_MS })

const timeOfDay = fc
  .tuple(fc.nat(23), fc.constantFrom(0, 1, 30, 59))
  .map(([hours, minutes]) => `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`)

const timeCondition = fc
  .record(
    {
      notBefore: timeArbitrary.map((ms) => new Date(ms).toISOString()),
      notAfter: timeArbitrary.map((ms) => new Date(ms).toISOString()),
      daily: fc
        .record({ from: timeOfDay, to: timeOfDay, timezone: fc.constantFrom(...REFERENCE_ZONES) })
        .filter(({ from, to }) => from !== to),
    },
    { requiredKeys: [] },
  )
  .filter((time) => Object.keys(time).length > 0)

export const conditionsArbitrary: fc.Arbitrary<Conditions> = fc.record(
  {
    sources: oneOrMore(SOURCES),
    relayDestinations: oneOrMore(HOSTS),
    functions: oneOrMore(FUNCTIONS),
    ipRanges: oneOrMore(RANGES),
    time: timeCondition,
    enclavePcrs: fc.record(
      { pcr0: fc.constantFrom(...PCRS), pcr8: fc.constantFrom(...PCRS) },
      { requiredKeys: ["pcr0"] },
    ),
    apiKeys: oneOrMore(KEYS),
  },
  { requiredKeys: [] },
)

/** With few conditions each, so that policies apply often enough to matter. */
const fewConditions = fc
  .tuple(conditionsArbitrary, fc.uniqueArray(fc.nat(6), { maxLength: 2 }))
  .map(
    ([conditions, kept]): Conditions =>
      Object.fromEntries(Object.entries(conditions).filter((_, index) => kept.includes(index))),
  )

export const rulesArbitrary: fc.Arbitrary<readonly NamedRule[]> = fc
  .array(
    fc.record({
      effect: fc.constantFrom("permit" as const, "permit" as const, "forbid" as const),
      conditions: fc.oneof(fewConditions, conditionsArbitrary),
    }),
    { maxLength: 6 },
  )
  .map((rules) => rules.map((rule, index) => ({ id: `policy_${index}`, name: "Any", cedar: null, ...rule })))

const optional = <Value>(values: readonly Value[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined })

export const contextArbitrary: fc.Arbitrary<DecisionContext> = fc.record({
  source: fc.constantFrom(...SOURCES),
  ip: fc.option(fc.constantFrom(...IPS)),
  apiKeyId: fc.option(fc.constantFrom(...KEYS)),
  functionName: optional(FUNCTIONS),
  relayDestination: optional(HOSTS),
  enclavePcrs: fc.option(fc.record({ pcr0: fc.constantFrom(...PCRS), pcr8: optional(PCRS) }), {
    nil: undefined,
  }),
})
