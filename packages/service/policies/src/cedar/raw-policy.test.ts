import * as cedar from "@cedar-policy/cedar-wasm/nodejs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { rule } from "../testing/rules.ts"
import type { Cedar } from "./cedar.ts"
import { createPolicyEngine } from "./policy-engine.ts"
import { checkRawPolicy } from "./raw-policy.ts"
import { CEDAR_SCHEMA } from "./schema.ts"

const check = (text: string, effect: "permit" | "forbid" = "permit") =>
  checkRawPolicy(cedar, text, effect)?.reason ?? null
const when = (expression: string) => `permit(principal, action, resource) when { ${expression} };`

test("Cedar accepts the published schema", () => {
  expect(cedar.checkParseSchema(CEDAR_SCHEMA)).toEqual({ type: "success" })
})

describe("a policy in Cedar", () => {
  test.each([
    ["without conditions", "permit(principal, action, resource);"],
    ["with an annotation and comments", '// Why\n@note("x") permit(principal, action, resource); // "quoted'],
    ["on an optional address", when('context has ip && context.ip.isInRange(ip("10.0.0.0/8"))')],
    ["on the time", when('context.time < datetime("2030-01-01T00:00:00Z")')],
    ["on an API key", when('context has apiKey && context.apiKey == ApiKey::"key_0123456789ab"')],
    ["on an enclave", when('context has enclave.pcr0 && context.enclave.pcr0 == "00"')],
    ["on a clock", when('context.clock.hasTag("UTC") && context.clock.getTag("UTC").minuteOfDay < 60')],
    [
      "with a hundred alternatives",
      when(Array.from({ length: 100 }, (_, i) => `context.source == "${i}"`).join(" || ")),
    ],
  ])("is accepted %s", (_what, text) => {
    expect(check(text)).toBeNull()
  })

  test.each([
    ["nothing", "", "There must be exactly one policy"],
    ["white space and a comment", " // permit\n", "There must be exactly one policy"],
    ["half a policy", "permit(principal, action,", "Line 1, column 26: this is not Cedar"],
    ["two policies", `${when("true")}\n${when("false")}`, "There must be exactly one policy"],
    [
      "a template",
      "permit(principal == ?principal, action, resource);",
      "Policy templates are not supported",
    ],
    [
      "a policy and a template",
      `${when("true")} permit(principal in ?principal, action, resource);`,
      "Policy templates are not supported",
    ],
    [
      "a member that the schema lacks",
      `permit(principal, action, resource)\nwhen { context.é == 1 };`,
      "Line 2, column 16: this is not Cedar",
    ],
    [
      "an unknown member",
      `permit(principal, action, resource)\nwhen { "é" == "é" && context.foo == 1 };`,
      "Line 2, column 22: this does not match the schema",
    ],
    [
      "an optional member that is not asked for first",
      when('context.ip.isInRange(ip("10.0.0.0/8"))'),
      "Line 1, column 44: this does not match the schema",
    ],
    [
      "a range that is none",
      when('context has ip && context.ip.isInRange(ip("10.0.0.0/33"))'),
      /does not match the schema|not Cedar/,
    ],
    [
      "a comparison of two types",
      when("context.source == 1"),
      "Line 1, column 44: this does not match the schema",
    ],
    [
      "an action that the schema lacks",
      'permit(principal, action == Action::"Encrypt", resource);',
      "Line 1, column 29: this does not match the schema",
    ],
    [
      "an entity that the schema lacks",
      'permit(principal == Team::"a", action, resource);',
      "Line 1, column 21: this does not match the schema",
    ],
  ])("is refused when it is %s", (_what, text, reason) => {
    expect(check(text)).toMatch(reason)
  })

  test("is refused when its effect differs from the declared one", () => {
    expect(check("forbid(principal, action, resource);")).toBe(
      "The policy's effect is not the one in `effect`",
    )
    expect(check("permit(principal, action, resource);", "forbid")).toBe(
      "The policy's effect is not the one in `effect`",
    )
  })

  test("is never quoted in error texts", () => {
    const marker = "marker4711"
    for (const text of [
      when(`context.${marker} == 1`),
      when(`"${marker}`),
      `${marker}(principal)`,
      when(`${marker}::"a" == principal`),
    ]) {
      expect(check(text)).not.toBeNull()
      expect(check(text)).not.toContain(marker)
    }
  })
})

describe("a policy that would exhaust Cedar's stack", () => {
  const nested = (open: string, inner: string, close: string, depth: number) =>
    when(open.repeat(depth) + inner + close.repeat(depth))
  const refusing: Cedar = {
    ...cedar,
    policySetTextToParts: () => {
      throw new Error("Cedar was asked")
    },
  }

  test.each([
    ["brackets", nested("(", "true", ")", 33)],
    ["brackets that are never closed", when("(".repeat(9000))],
    ["sets", nested("[", "1", "]", 2000)],
    ["records", nested("{a:", "1", "}", 1000)],
    ["negations", nested("!(", "true", ")", 1000)],
    ["calls", nested("[1].contains(", "1", ")", 500)],
    ["a sum", when(`1${"+1".repeat(1000)} == 1`)],
    ["alternatives", when(`context.b${" || context.b".repeat(800)}`)],
    ["members", when(`context${".a".repeat(1000)}`)],
    ["members by name", when(`context${'["a"]'.repeat(1000)}`)],
    ["clauses", `permit(principal, action, resource)${" when { true }".repeat(600)};`],
    ["branches", when(`${"if true then ".repeat(400)}true${" else true".repeat(400)}`)],
  ])("is refused before Cedar sees it: %s", (_what, text) => {
    expect(checkRawPolicy(refusing, text, "permit")?.reason).toBe(
      "The policy has too many terms, or is nested too deeply",
    )
  })

  test.each([
    ["after a comment that a carriage return ends", `//\r${nested("(", "true", ")", 300)}`],
    ["after a comment and a line feed", `//\n${nested("(", "true", ")", 300)}`],
    [
      "after a string with an escaped carriage return",
      when(`"\\\r" == ${"(".repeat(300)}1${")".repeat(300)}`),
    ],
    ["after white space that JavaScript does not know", `\u0085${nested("(", "true", ")", 300)}`],
    ["after letters outside of ASCII in a comment", `// é\u{1f600}\r${nested("(", "true", ")", 300)}`],
  ])("is refused before Cedar sees it: brackets %s", (_what, text) => {
    expect(checkRawPolicy(refusing, text, "permit")?.reason).toBe(
      "The policy has too many terms, or is nested too deeply",
    )
  })

  // Cedar's parser drops the first policy at its semicolon, and continues with the second.
  test.each([
    ["closing brackets before as many open ones", `${")".repeat(300)};${nested("(", "true", ")", 300)}`],
    ["a bracket that another kind closes", `(];${nested("(", "true", ")", 300)}`],
    ["a string that a line feed after a backslash breaks", `"\\\n";${nested("(", "true", ")", 300)}`],
    ["a character that is no token", `#;${nested("(", "true", ")", 300)}`],
    ["a byte order mark", `\ufeff;${nested("(", "true", ")", 300)}`],
  ])("is refused before Cedar sees it, with its position: %s", (_what, text) => {
    expect(checkRawPolicy(refusing, text, "permit")?.reason).toMatch(
      /^Line 1, column [12]: this is not Cedar$/,
    )
  })

  test("refuses half a surrogate pair, on which Cedar traps, before Cedar sees it", () => {
    for (const text of ["// \ud83d", when('"\udc00" == context.source'), '@a("\ud83d") permit(']) {
      expect(checkRawPolicy(refusing, text, "permit")?.reason).toBe(
        "The policy contains a lone surrogate, which is not a valid character",
      )
    }
  })

  test("ignores brackets in strings and comments", () => {
    expect(check(`// ${"(".repeat(500)}\r${when("true")}`)).toBeNull()
    expect(check(when(`"${"(".repeat(200)}" == context.source`))).toBeNull()
    expect(check(`// ${"(".repeat(500)}\n${when("true")}`)).toBeNull()
    expect(check(when(`"\\"${"(".repeat(200)}" == context.source`))).toBeNull()
  })

  test("is never accepted: the deepest accepted policies leave Cedar working", () => {
    const engine = createPolicyEngine(() => cedar)
    const question = {
      appId: "app_1",
      role: "pci",
      context: { source: "api" as const, ip: null, apiKeyId: null },
      timeMs: 0,
    }
    const candidates = [
      nested("(", "true", ")", 30),
      nested("[", "1", "]", 30),
      ...[60, 110, 119, 125, 200, 300, 480].flatMap((length) => [
        when(`1${"+1".repeat(length)} == 1`),
        when(`context.source == "x"${' || context.source == "x"'.repeat(Math.min(length, 160))}`),
        when(
          `${'if context.source == "x" then '.repeat(Math.min(length, 90))}true${" else true".repeat(Math.min(length, 90))}`,
        ),
      ]),
      `permit(principal, action, resource)${" when { true }".repeat(240)};`,
    ]
    const taken = candidates.filter((text) => check(text) === null)
    expect(taken.length).toBeGreaterThan(5)
    for (const text of taken) {
      const rules = [rule({ conditions: null, cedar: text })]
      expect(engine.decide({ rules, version: text }, question).reason).not.toBe("evaluation-error")
    }
    expect(check(when("true"))).toBeNull()
  })

  test("is refused or accepted in bounded time, for any characters", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'(){}[]"\\/ \naé.|&+-!:@;0'), maxLength: 2_000 }),
        (text) => {
          checkRawPolicy(cedar, text, "permit")
          checkRawPolicy(cedar, when(text), "permit")
        },
      ),
      { numRuns: 200 },
    )
    expect(check(when("true"))).toBeNull()
  })
})
