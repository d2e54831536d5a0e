import { describe, expect, test } from "vitest"
import { policyTestFileSchema, readDocument, readPolicyFiles } from "./policy-files.ts"
import { runPolicyTests } from "./policy-tests.ts"

const role = { slug: "pci", name: "Card data" }
const policy = (changes: object = {}) => ({
  name: "Office",
  effect: "permit",
  roles: ["pci"],
  conditions: { ipRanges: ["10.0.0.0/8"] },
  ...changes,
})
const file = (name: string, content: unknown) => ({ file: name, content })

describe("policy files", () => {
  test("are read as one", async () => {
    const cedar = 'forbid(principal, action, resource) when { context.source == "relay" };'
    const read = readPolicyFiles([
      file("roles.yaml", { roles: [role] }),
      file("a.yaml", {
        policies: [policy(), policy({ name: "Relays", effect: "forbid", conditions: undefined, cedar })],
      }),
    ])
    expect(read).toMatchObject({
      ok: true,
      roles: [{ ...role, description: "" }],
      policies: [{ name: "Office" }, { name: "Relays", cedar }],
    })
  })

  test("name the file and the place of every problem", async () => {
    const read = readPolicyFiles([
      file("a.yaml", { roles: [role, { ...role, slug: "PCI" }] }),
      file("b.yaml", { roles: [role], policies: [policy()] }),
      file("c.yaml", {
        roles: [role],
        policies: [
          policy({
            conditions: undefined,
            cedar: "permit(principal, action, resource) when { context.foo };",
          }),
        ],
      }),
      file("d.yaml", ["text"]),
      file("e.yaml", { "a/b~": 1 }),
    ])
    expect(read).toMatchObject({
      ok: false,
      problems: [
        { file: "a.yaml", pointer: "/roles/1/slug" },
        { file: "c.yaml", pointer: "/roles/0/slug", reason: "Another role has this slug" },
        { file: "c.yaml", pointer: "/policies/0/name", reason: "Another policy has this name" },
        {
          file: "c.yaml",
          pointer: "/policies/0/cedar",
          reason: expect.stringMatching(/^Line 1, column 44: .*foo/),
        },
        { file: "d.yaml", pointer: "" },
        { file: "e.yaml", pointer: "" },
      ],
    })
  })
})

describe("policy tests", () => {
  const policies = [
    policy(),
    policy({
      name: "Not at night",
      effect: "forbid",
      conditions: { time: { daily: { from: "20:00", to: "06:00", timezone: "UTC" } } },
    }),
    policy({ name: "Other role", roles: ["pii"], conditions: {} }),
  ]

  async function run(tests: readonly object[], changes: object = {}) {
    const files = readPolicyFiles([file("p.yaml", { policies })])
    const read = readDocument(
      policyTestFileSchema,
      file("p.policy-test.yaml", { role: "pci", tests, ...changes }),
    )
    if (!read.ok || !files.ok) throw new Error("The files are not good")
    return runPolicyTests(read.value, files.policies)
  }

  const day = "2026-03-02T12:00:00Z"
  const night = "2026-03-02T23:00:00Z"

  test("pass when the decision is the expected one", async () => {
    const results = await run([
      { name: "by day", context: { ip: "10.1.2.3", time: day }, expect: "permit", decidedBy: ["Office"] },
      {
        name: "by night",
        context: { ip: "10.1.2.3", time: night },
        expect: "deny",
        decidedBy: ["Not at night"],
      },
      { name: "from elsewhere", context: { ip: "192.0.2.1", time: day }, expect: "deny", decidedBy: [] },
    ])
    expect(results.map(({ failure }) => failure)).toEqual([null, null, null])
    expect(results[2]?.policies).toMatchObject([
      { id: "Office", matched: false, failedConditions: ["ipRanges"] },
      { id: "Not at night", matched: false, failedConditions: ["time.daily"] },
    ])
  })

  test("fail when the decision is a different one, or another policy decided", async () => {
    const results = await run([
      { name: "wrong", context: { ip: "10.1.2.3", time: night }, expect: "permit" },
      { name: "another", context: { ip: "10.1.2.3", time: night }, expect: "deny", decidedBy: ["Office"] },
    ])
    expect(results).toMatchObject([
      {
        passed: false,
        expected: "permit",
        actual: "deny",
        reason: "forbidden",
        failure: "The decision is deny",
      },
      { passed: false, failure: "Decided by: Not at night" },
    ])
  })

  test("fail without a time when the policies depend on it, and need none otherwise", async () => {
    const tests = [{ name: "any time", context: { ip: "10.1.2.3" }, expect: "permit" }]
    expect(await run(tests)).toMatchObject([
      { passed: false, failure: "The policies check the time, but the context has no time" },
    ])
    expect(await run(tests, { policies: ["Office"] })).toMatchObject([{ passed: true }])
  })

  test("fail when they name a policy that the role does not have", async () => {
    const tests = [{ name: "any", context: {}, expect: "deny" }]
    expect(await run(tests, { policies: ["Other role"] })).toMatchObject([
      { passed: false, failure: "No policy of the role is named Other role" },
    ])
  })

  test("are refused when they are malformed, naming the place", () => {
    const read = (content: unknown) => {
      const result = readDocument(policyTestFileSchema, file("t", content))
      return result.ok ? [] : result.problems.map(({ pointer }) => pointer)
    }
    const one = { name: "a", context: {}, expect: "permit" }
    expect(read({ role: "pci", tests: [one] })).toEqual([])
    expect(read({ role: "pci", tests: [{ ...one, expect: "allow" }] })).toEqual(["/tests/0/expect"])
    expect(read({ role: "pci", tests: [{ ...one, context: { ip: "office" } }] })).toEqual([
      "/tests/0/context/ip",
    ])
    expect(read({ role: "pci", tests: [{ ...one, context: { time: "noon" } }] })).toEqual([
      "/tests/0/context/time",
    ])
    expect(read({ role: "pci", tests: [] })).toEqual(["/tests"])
    expect(read({ tests: [one] })).toEqual(["/role"])
  })
})
