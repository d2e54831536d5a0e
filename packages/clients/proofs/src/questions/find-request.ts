import type { Question } from "@sealway/policies/analysis"
import { ADDRESSES_END, IPV6_START, rangeNumbers } from "../encoding/addresses.ts"
import { questionOf } from "../encoding/question-of.ts"
import { ABSENT, FIRST_OTHER, type Variable } from "../encoding/request.ts"
import { DAY_MS, parseDatetime } from "../encoding/times.ts"
import { type Horizon, zoneFacts } from "../encoding/zone-facts.ts"
import { atMost, equal, int, not, type Term, within } from "../smt/terms.ts"
import type { Query } from "../solver/query.ts"
import type { Problem } from "./problem.ts"

const YEAR_MS = 366 * DAY_MS
/** The maximum of years, times zones, to read rules for. It takes some seconds. */
const MAX_ZONE_YEARS = 100

/** Whether a request exists, and one of them. */
export type Search =
  /** `untilMs`: null for all requests from now on; otherwise for those before, by the rules of time zones in force. */
  | { readonly found: false; readonly untilMs: number | null }
  | {
      readonly found: true
      readonly question: Question
      /** The values of its variables, by their terms. */
      readonly values: ReadonlyMap<Term, bigint | boolean>
    }

/** The clocks that policies read, related to the time. */
export interface Clocks {
  /** What holds by the rules of their zones. */
  readonly facts: Term
  readonly untilMs: number
}

/** Reads the rules of the time zones that policies name; null when they read no clock. */
export async function readClocks(query: Query, problem: Problem): Promise<Clocks | null> {
  const { request, script } = problem
  if (request.clocks().length === 0) return null
  const horizon = horizonOf(problem)
  const facts = zoneFacts(script, request.clocks(), request.time(), horizon)
  await query.declare(script.take())
  return { facts, untilMs: horizon.untilMs }
}

/**
 * Looks for a request for which all that is asserted holds. First with clocks that may show anything, so that the answer
 * "none" depends on no rules of time zones, then by their rules.
 */
export async function findRequest(query: Query, problem: Problem, clocks: Clocks | null): Promise<Search> {
  const { request, texts, role, nowMs } = problem
  if (!(await query.isPossible())) return { found: false, untilMs: null }
  if (clocks !== null) {
    await query.assert(clocks.facts)
    if (!(await query.isPossible())) return { found: false, untilMs: clocks.untilMs }
  }
  for (const ordinary of preferences(problem)) {
    if (await query.isPossible(ordinary)) await query.assert(ordinary)
  }
  const variables = new Map([...request.read()].map(([name, term]) => [term, name]))
  const shown = request.clocks().flatMap(({ minute, weekday }) => [minute, weekday])
  const values = await query.valuesOf([...variables.keys(), ...shown])
  const model = new Map(
    [...values].flatMap(([term, value]): [Variable, bigint | boolean][] => {
      const name = variables.get(term)
      return name === undefined ? [] : [[name, value]]
    }),
  )
  return { found: true, question: questionOf(model, texts, role, nowMs), values }
}

/** From now to a year after the last time that the policies name, if rules of so many years can be read. */
function horizonOf({ trees, nowMs, request }: Problem): Horizon {
  const last = Math.max(nowMs, ...timesIn(trees))
  const years = Math.max(1, Math.floor(MAX_ZONE_YEARS / request.clocks().length))
  return { fromMs: nowMs, untilMs: Math.min(last + YEAR_MS, nowMs + years * YEAR_MS) }
}

/** The literal times in policies. */
function timesIn(trees: readonly object[]): number[] {
  const found: number[] = []
  const pending: unknown[] = [...trees]
  while (pending.length > 0) {
    const node = pending.pop()
    if (typeof node === "string") found.push(...[parseDatetime(node)].filter((ms) => ms !== null))
    else if (typeof node === "object" && node !== null) pending.push(...Object.values(node))
  }
  return found
}

const OPTIONAL = ["relayDestination", "function", "apiKey"] as const

/** What people expect of an example, where it makes no difference: in this order. */
function preferences({ request, texts, nowMs }: Problem): Term[] {
  const read = request.read()
  const prefer = (name: Variable, term: (variable: Term) => Term) => {
    const variable = read.get(name)
    return variable === undefined ? [] : [term(variable)]
  }
  const absent = (variable: Term) => equal(variable, int(ABSENT))
  const example = rangeNumbers("203.0.113.7")?.first ?? 0n
  return [
    ...prefer("source", (source) => equal(source, int(texts.codeOf("api")))),
    ...prefer("masked", not),
    ...prefer("reason", not),
    ...prefer("enclave", not),
    ...prefer("relayDestination", absent),
    ...prefer("function", absent),
    ...prefer("apiKey", absent),
    ...OPTIONAL.flatMap((name) => prefer(name, (text) => atMost("0", text))),
    ...prefer("app", (app) => equal(app, int(FIRST_OTHER))),
    ...prefer("ip", (ip) => within(ip, 0n, ADDRESSES_END - 1n)),
    ...prefer("ip", (ip) => within(ip, 0n, IPV6_START - 1n)),
    ...prefer("ip", (ip) => equal(ip, int(example))),
    ...prefer("time", (time) => within(time, nowMs, nowMs + 7 * DAY_MS)),
    ...prefer("time", (time) => equal(time, int(nowMs))),
  ]
}
