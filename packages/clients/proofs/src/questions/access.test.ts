import {
  createCedarSession,
  instantiateCedar,
  type NamedRule,
  type Question,
} from "@sealway/policies/analysis"
import { afterAll, describe, expect, test } from "vitest"
import { cubeTerm } from "../encoding/dimensions.ts"
import { and, not, or } from "../smt/terms.ts"
import { createQuery } from "../solver/query.ts"
import { SolverStoppedError } from "../solver/solver.ts"
import { createZ3 } from "../solver/z3-solver.ts"
import { definitionsIn } from "../testing/evaluate-terms.ts"
import { evaluatorOf } from "../testing/evaluator-of.ts"
import { FROM_MS, randomQuestion, randomRules } from "../testing/random-policies.ts"
import { describeAccess, describeChange } from "./access.ts"
import { describeRequests } from "./cubes.ts"
import { createProblem } from "./problem.ts"

/** How many sets of policies to describe, from which seed on; for long runs by hand. */
const SETS = Number(process.env.PROOF_FUZZ_RUNS ?? 6)
const FIRST_SEED = Number(process.env.PROOF_FUZZ_SEED ?? 1)
const QUESTIONS_PER_SET = 40

const NOW_MS = Date.UTC(2026, 10, 27, 12)
const solvers = createZ3({ limitMs: 60_000 })
const session = createCedarSession(instantiateCedar)
afterAll(() => solvers.close())

let rules = 0
const rule = (
  effect: "permit" | "forbid",
  conditions: NamedRule["conditions"],
  cedar: string | null = null,
  more: Pick<NamedRule, "reveal" | "requiresReason"> = {},
) => {
  const id = `policy_${rules++}`
  return { id, name: id, effect, conditions, cedar, ...more } satisfies NamedRule
}
const daily = (from: string, to: string) => ({ time: { daily: { from, to, timezone: "Europe/Dublin" } } })
const WEEKDAYS =
  'forbid(principal, action, resource) unless { context.clock.getTag("Europe/Dublin").weekday <= 5 };'

async function accessOf(...policies: readonly NamedRule[]) {
  const access = await describeAccess(solvers, session, { rules: policies, role: "pci", nowMs: NOW_MS })
  return access.known ? access.requests.map(({ words }) => words).toSorted() : access.reason
}

describe("who has access", () => {
  test("is nobody without a policy that permits", async () => {
    expect(await accessOf()).toEqual([])
    expect(await accessOf(rule("permit", {}), rule("forbid", {}))).toEqual([])
  })

  test("is said in one line for each kind of request, without what does not matter", async () => {
    const office = rule("permit", { sources: ["api"], ipRanges: ["10.0.0.0/8"], ...daily("09:00", "17:30") })
    const stripe = rule("permit", { relayDestinations: ["api.stripe.com"], sources: ["relay"] })
    expect(await accessOf(office, stripe)).toEqual([
      "through relays, to api.stripe.com",
      "through the API, from 10.0.0.0/8, 09:00-17:30 (Europe/Dublin)",
    ])
  })

  test("names what is left out when that is shorter", async () => {
    const policies = [
      rule("permit", {}),
      rule("forbid", { ipRanges: ["10.1.0.0/16"], apiKeys: ["key_0123456789ab"] }),
    ]
    expect(await accessOf(...policies, rule("forbid", null, WEEKDAYS))).toEqual([
      "through anything except enclaves, from anywhere except unknown addresses and 10.1.0.0/16, on any day except Saturday and Sunday (Europe/Dublin)",
      "through anything except enclaves, with any API key except key_0123456789ab, on any day except Saturday and Sunday (Europe/Dublin)",
    ])
  })

  test("is said with ranges, times and windows as people write them", async () => {
    const most = rule("permit", { sources: ["api"], ipRanges: ["10.0.0.0/8", "2001:db8::/32"] })
    const forbids = [
      rule("forbid", { ipRanges: ["10.128.0.0/9"] }),
      rule("forbid", daily("06:00", "22:00")),
      rule("forbid", { time: { notBefore: "2027-01-01T00:00:00Z" } }),
    ]
    expect(await accessOf(most, ...forbids)).toEqual([
      "through the API, from 10.0.0.0/9 and 2001:db8::/32, 22:00-06:00 (Europe/Dublin), from 2026-11-27T12:00:00Z until 2027-01-01T00:00:00Z",
    ])
  })
})

describe("masks and reasons", () => {
  const masked = (effect: "permit" | "forbid", conditions: NamedRule["conditions"]) =>
    rule(effect, conditions, null, { reveal: "masked" })
  const office = rule("permit", { sources: ["api"], ipRanges: ["10.0.0.0/8"] })

  test("are named where they matter", async () => {
    expect(await accessOf(masked("permit", {}))).toEqual(["through anything except enclaves, masked"])
    expect(await accessOf(rule("permit", {}, null, { requiresReason: true }))).toEqual([
      "through anything except enclaves, with a reason",
    ])
    expect(await accessOf(masked("permit", { sources: ["relay"] }), office)).toEqual([
      "through relays, masked",
      "through the API, from 10.0.0.0/8",
    ])
    const mask = 'permit(principal, action, resource) when { action == Action::"Mask" };'
    expect(await accessOf(rule("permit", null, mask))).toEqual(["all requests, masked"])
  })

  test("of a role without a mask are nobody's", async () => {
    const question = { rules: [masked("permit", {})], role: "pci", nowMs: NOW_MS, hasMask: false }
    expect(await describeAccess(solvers, session, question)).toMatchObject({ known: true, requests: [] })
  })

  test("are not seen where a policy fails for full values, unless another forbids these", async () => {
    const failing = 'permit(principal, action == Action::"Decrypt", resource) when { context.ip.isIpv4() };'
    const policies = [masked("permit", {}), rule("permit", null, failing)]
    const forbid = rule("forbid", {}, null, { reveal: "full" })
    expect(await accessOf(...policies.slice(0, 1), forbid)).toEqual([
      "through anything except enclaves, masked",
    ])
    expect(await accessOf(...policies, forbid)).toEqual(["through anything except enclaves, masked"])
    expect(await accessOf(...policies)).not.toEqual(await accessOf(...policies, forbid))
  })
})

describe("a change", () => {
  const change = async (before: readonly NamedRule[], after: readonly NamedRule[]) => {
    const { permitted, refused } = await describeChange(solvers, session, {
      before,
      after,
      role: "pci",
      nowMs: NOW_MS,
    })
    const wordsOf = (each: typeof permitted) =>
      each.known ? each.requests.map(({ words }) => words) : each.reason
    return { permitted: wordsOf(permitted), refused: wordsOf(refused) }
  }
  const office = rule("permit", { sources: ["api"], ipRanges: ["10.0.0.0/8"] })

  test("says what it opens and what it closes", async () => {
    const weekdays = rule("forbid", null, WEEKDAYS)
    const part = rule("permit", { sources: ["api"], ipRanges: ["10.0.0.0/9"] })
    expect(await change([office, weekdays], [office])).toEqual({
      permitted: ["through the API, from 10.0.0.0/8, on Saturday and Sunday (Europe/Dublin)"],
      refused: [],
    })
    expect(await change([office], [part])).toEqual({
      permitted: [],
      refused: ["through the API, from 10.128.0.0/9"],
    })
  })

  test("says that masks are opened or closed, and that a reason is no longer required", async () => {
    const permit = (more: Pick<NamedRule, "reveal" | "requiresReason">) =>
      rule("permit", { sources: ["api"] }, null, more)
    const mask = permit({ reveal: "masked" })
    const everyMask = { permitted: ["through the API, masked"], refused: [] }
    expect(await change([], [mask])).toEqual(everyMask)
    expect(await change([mask], [mask, rule("forbid", {}, null, { reveal: "masked" })])).toEqual({
      permitted: [],
      refused: ["through the API, masked"],
    })
    expect(await change([mask], [permit({})])).toEqual({
      permitted: ["through the API, in full"],
      refused: [],
    })
    expect(await change([permit({ requiresReason: true })], [permit({ requiresReason: false })])).toEqual({
      permitted: ["through the API, without a reason"],
      refused: [],
    })
    expect(await change([permit({})], [permit({}), rule("forbid", {}, null, { reveal: "full" })])).toEqual({
      permitted: [],
      refused: ["through the API, in full"],
    })
  })

  test("is empty when no request is decided otherwise, however different the policies are", async () => {
    const halves = ["10.0.0.0/9", "10.128.0.0/9"].map((range) =>
      rule("permit", { sources: ["api"], ipRanges: [range] }),
    )
    expect(await change([office], halves)).toEqual({ permitted: [], refused: [] })
  })

  test("is not confused by what the encoding has no form for, where it stays", async () => {
    const odd = rule(
      "forbid",
      null,
      'forbid(principal, action, resource) when { decimal("1.0").lessThan(decimal("2.0")) };',
    )
    expect(await change([office, odd], [odd])).toEqual({
      permitted: [],
      refused: "decimal in Cedar is not decided for all requests",
    })
    expect(await change([office, odd], [odd, office])).toEqual({ permitted: [], refused: [] })
  })
})

test("numbers that Cedar's JSON rounds to the same are not taken for equal", async () => {
  const sum = "context.time.toTime().toMilliseconds() + 9007199254740000"
  const below = (bound: string) =>
    rule("permit", null, `permit(principal, action, resource) when { ${sum} < ${bound} };`)
  const change = { before: [below("9007199254740992")], after: [below("9007199254740993")] }
  const { permitted } = await describeChange(solvers, session, { ...change, role: "pci", nowMs: NOW_MS })
  expect(permitted.known).toBe(false)
})

test("a description of what a random change opens includes each random request that Cedar decides so, and no other", {
  timeout: 60_000 + SETS * 5_000,
}, async () => {
  let described = 0
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SETS; seed++) {
    const problem = createProblem(session, "pci", FROM_MS)
    const policies = randomRules(seed)
    // Every second change begins with no policies, so that it is about all that is permitted.
    // Policies of a role have ids of their own.
    const others = randomRules(seed + 1).map((each) => ({ ...each, id: `other_${each.id}` }))
    const before = problem.encode(seed % 2 === 0 ? [] : [...policies.slice(1), ...others])
    const after = problem.encode(policies)
    const opened = and(after.permitted, not(before.permitted))
    const commands = problem.script.take()
    const definitions = definitionsIn(commands)
    const isOpened = (question: Question) =>
      problem.decides(after, question) === "permit" && problem.decides(before, question) === "deny"
    const cubes = await solvers.ask(async (solver) => {
      const query = createQuery(solver)
      await query.declare(commands)
      await query.assert(problem.facts())
      return describeRequests(query, problem, opened, isOpened).catch((error: unknown) => {
        if (error instanceof SolverStoppedError) return null
        throw error
      })
    })
    if (cubes === null || !cubes.isComplete) continue
    described++
    const included = or(...cubes.cubes.map(cubeTerm))
    for (let index = 0; index < QUESTIONS_PER_SET; index++) {
      const question = randomQuestion(seed * QUESTIONS_PER_SET + index)
      const isIncluded = evaluatorOf(problem, definitions, question).valueOf(included)
      expect({ seed, index, isIncluded }).toEqual({ seed, index, isIncluded: isOpened(question) })
    }
  }
  expect(described).toBeGreaterThan(SETS / 6)
})
