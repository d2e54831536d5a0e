import { SOURCES } from "@sealway/policies/analysis"
import { and, or, type Term, within } from "../smt/terms.ts"
import { ADDRESSES_END, IPV6_START, rangeNumbers } from "./addresses.ts"
import {
  ABSENT,
  FIRST_OTHER,
  LAST_INSTANT_MS,
  LAST_OTHER,
  type Request,
  type TRUTHS,
  type Variable,
} from "./request.ts"
import type { Texts } from "./texts.ts"
import { parseDatetime } from "./times.ts"

/** Numbers from the first to the last, both included. */
export interface Interval {
  readonly first: bigint
  readonly last: bigint
}

/** Values that policies treat alike, if they only compare: the smallest part of a dimension that words name. */
export type Cell = readonly Interval[]

/** One thing that requests differ in. */
export interface Dimension {
  readonly name: Variable | "minute" | "weekday"
  /** For what a clock shows. */
  readonly zone?: string
  readonly term: Term
  readonly cells: readonly Cell[]
}

/** Requests that differ in nothing but what is not named: for each dimension that matters, its values. */
export type Cube = ReadonlyMap<Dimension, readonly Cell[]>

export function cubeTerm(cube: Cube): Term {
  const terms = [...cube].map(([{ term }, cells]) =>
    or(...cells.flat().map(({ first, last }) => within(term, first, last))),
  )
  return and(...terms)
}

const one = (value: number | bigint): Interval => ({ first: BigInt(value), last: BigInt(value) })

/** The dimensions that policies read, those first that tell the least. @param trees policies, as Cedar's JSON */
export function dimensionsOf(request: Request, texts: Texts, trees: readonly object[]): Dimension[] {
  const read = request.read()
  const literals = literalsIn(trees)
  const at = (name: Variable, cells: () => readonly Cell[], spell = (term: Term) => term): Dimension[] => {
    const term = read.get(name)
    return term === undefined ? [] : [{ name, term: spell(term), cells: cells() }]
  }
  const text = (name: Variable, path: string): Dimension[] =>
    at(name, () => textCells(texts, textsNear(trees, path), name !== "app"))
  const times = () => {
    const changes = literals.flatMap((literal) => parseDatetime(String(literal)) ?? [])
    return split(
      request.fromMs,
      LAST_INSTANT_MS,
      changes.flatMap((ms) => [ms, ms + 1]),
    )
  }
  const truth = (name: (typeof TRUTHS)[number]): Dimension[] =>
    at(
      name,
      () => [[one(0)], [one(1)]],
      (term) => `(ite ${term} 1 0)`,
    )
  return [
    ...truth("masked"),
    ...truth("reason"),
    ...text("app", "principal"),
    ...truth("enclave"),
    ...text("pcr0", "pcr0"),
    ...text("pcr1", "pcr1"),
    ...text("pcr2", "pcr2"),
    ...text("pcr8", "pcr8"),
    ...at("time", times),
    ...text("apiKey", "apiKey"),
    ...text("function", "function"),
    ...text("relayDestination", "relayDestination"),
    ...request.clocks().flatMap(({ zone, minute, weekday }): Dimension[] => [
      { name: "weekday", zone, term: weekday, cells: split(1, 7, [2, 3, 4, 5, 6, 7]) },
      { name: "minute", zone, term: minute, cells: split(0, 1_439, numbersIn(literals)) },
    ]),
    ...at("ip", () => addressCells(literals)),
    ...at("source", () => SOURCES.map((source) => [one(texts.codeOf(source))])),
  ]
}

/** Cuts an interval before each of some numbers. */
function split(first: number | bigint, last: number | bigint, cuts: readonly (number | bigint)[]): Cell[] {
  const inside = cuts.map(BigInt).filter((cut) => cut > BigInt(first) && cut <= BigInt(last))
  const starts = [BigInt(first), ...new Set(inside.toSorted((left, right) => (left < right ? -1 : 1)))]
  return starts.map((start, index) => [{ first: start, last: (starts[index + 1] ?? BigInt(last) + 1n) - 1n }])
}

function addressCells(literals: readonly unknown[]): Cell[] {
  const ranges = literals.flatMap((literal) =>
    typeof literal === "string" ? (rangeNumbers(literal) ?? []) : [],
  )
  const cuts = ranges.flatMap(({ first, last }) => [first, last + 1n])
  return [[one(ABSENT)], ...split(0n, ADDRESSES_END - 1n, [IPV6_START, ...cuts])]
}

/** A cell for each text that policies compare with, one for all others, and one for none. */
function textCells(texts: Texts, near: ReadonlySet<string>, isOptional: boolean): Cell[] {
  const all = [...texts.all()]
  const others = all.filter(([text]) => !near.has(text)).map(([, code]) => one(code))
  return [
    ...(isOptional ? [[one(ABSENT)]] : []),
    [{ first: BigInt(LAST_OTHER), last: BigInt(FIRST_OTHER) }, ...others],
    ...all.filter(([text]) => near.has(text)).map(([, code]) => [one(code)]),
  ]
}

function numbersIn(literals: readonly unknown[]): number[] {
  return literals.flatMap((each) =>
    typeof each === "number" && Number.isSafeInteger(each) ? [each, each + 1] : [],
  )
}

/** All texts and numbers in policies. */
function literalsIn(node: unknown): unknown[] {
  if (typeof node === "string" || typeof node === "number") return [node]
  return typeof node === "object" && node !== null ? Object.values(node).flatMap(literalsIn) : []
}

/** The texts in the smallest expressions that compare something with an attribute or variable. */
function textsNear(trees: readonly object[], name: string): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (node: unknown): boolean => {
    if (node === name) return true
    if (typeof node !== "object" || node === null) return false
    const isNear = Object.values(node).map(visit).includes(true)
    const operator = Object.keys(node)[0] ?? ""
    if (!isNear) return false
    if (!COMPARING.has(operator)) return !LOGICAL.has(operator)
    for (const literal of literalsIn(node)) found.add(String(literal))
    return false
  }
  for (const tree of trees) visit(tree)
  return found
}

const COMPARING: ReadonlySet<string> = new Set([
  "==",
  "!=",
  "in",
  "contains",
  "containsAll",
  "containsAny",
  "like",
])
const LOGICAL: ReadonlySet<string> = new Set(["&&", "||", "!", "if-then-else", "kind"])
