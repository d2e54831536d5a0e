import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type Item, parseItem } from "../values/attribute-value.ts"
import { applyUpdate, checkUpdate } from "./apply-update.ts"
import { parseCondition } from "./condition.ts"
import { evaluateCondition } from "./evaluate-condition.ts"
import { parseKeyCondition } from "./key-condition.ts"
import { definePlaceholders } from "./placeholders.ts"
import { parseUpdate } from "./update.ts"

const ITEM = parseItem({
  pk: { S: "a" },
  n: { N: "5" },
  s: { S: "text" },
  b: { B: "AQI=" },
  yes: { BOOL: true },
  many: { SS: ["x", "y"] },
  expiresAt: { N: "10" },
})
const INVALID = expect.objectContaining({ type: "ValidationException" })

const valuesOf = (values: object) => parseItem(values)
const namesOf = (names: Readonly<Record<string, string>>) => new Map(Object.entries(names))

function evaluate(expression: string, values: object = {}, item: Item | null = ITEM, names = {}): boolean {
  const { tree, placeholders } = parseCondition(expression)
  return evaluateCondition(tree, item, definePlaceholders(placeholders, namesOf(names), valuesOf(values)))
}

function update(expression: string, values: object = {}, item: Item = ITEM): object {
  const { tree, placeholders } = parseUpdate(expression)
  const defined = definePlaceholders(placeholders, new Map(), valuesOf(values))
  checkUpdate(tree, ["pk", "sk"], defined)
  return Object.fromEntries(applyUpdate(tree, item, defined))
}

describe("a condition", () => {
  test.each([
    ["n = :v", { N: "5.0" }, true],
    ["n = :v", { S: "5" }, false],
    ["n < :v", { N: "5" }, false],
    ["n <= :v", { N: "5" }, true],
    ["n > :v", { N: "4.999" }, true],
    ["n >= :v", { N: "5.001" }, false],
    [":v > n", { N: "6" }, true],
    ["s < :v", { S: "texu" }, true],
    ["b > :v", { B: "AQ==" }, true],
    ["b = :v", { B: "AQI=" }, true],
    ["yes = :v", { BOOL: true }, true],
    ["many = :v", { SS: ["y", "x"] }, true],
    ["begins_with(s, :v)", { S: "te" }, true],
    ["begins_with(s, :v)", { S: "ext" }, false],
    ["begins_with(b, :v)", { B: "AQ==" }, true],
    ["begins_with(b, :v)", { B: "AQIA" }, false],
    ["begins_with(absent, :v)", { S: "a" }, false],
    ["begins_with(n, :v)", { S: "5" }, false],
    ["absent = :v", { S: "a" }, false],
    ["absent < :v", { S: "a" }, false],
    ["n < :v", { S: "6" }, false],
  ])("%s, for %j, is %o", (expression, v, holds) => {
    expect(evaluate(expression, { ":v": v })).toBe(holds)
  })

  test.each([
    ["attribute_exists(n)", true, false],
    ["attribute_exists(absent)", false, false],
    ["attribute_not_exists(n)", false, true],
    ["attribute_not_exists(absent)", true, true],
    ["n = n", true, false],
    ["n = expiresAt", false, false],
    ["attribute_exists(n) AND attribute_exists(absent)", false, false],
    ["attribute_exists(n) or attribute_exists(absent)", true, false],
    // AND binds before OR.
    ["attribute_exists(n) OR attribute_exists(absent) AND attribute_exists(absent)", true, false],
    ["(attribute_exists(n) OR attribute_exists(absent)) AND attribute_exists(absent)", false, false],
    ["attribute_exists(absent) AND attribute_exists(absent) OR attribute_exists(n)", true, false],
    ["( attribute_exists (n) )", true, false],
    ["(attribute_exists(n)) AND (attribute_exists(s))", true, false],
  ])("%s is true for an item: %o, without one: %o", (expression, withItem, without) => {
    expect(evaluate(expression)).toBe(withItem)
    expect(evaluate(expression, {}, null)).toBe(without)
  })

  test("names attributes by placeholder", () => {
    expect(evaluate("#0 = :0", { ":0": { N: "5" } }, ITEM, { "#0": "n" })).toBe(true)
    expect(evaluate("attribute_exists(#a)", {}, ITEM, { "#a": "value" })).toBe(false)
  })

  test.each([
    "",
    " ",
    "n",
    "n =",
    "= :v",
    "n = :v AND",
    "n = :v n = :v",
    "AND n = :v",
    "(n = :v",
    "n = :v)",
    "()",
    "((n = :v))",
    "(n = :v AND ((n = :v)))",
    "n == :v",
    "n = 'a'",
    "n = 5",
    "n = :",
    "# = :v",
    "n = : v",
    "attribute_exists(:v)",
    "attribute_exists(n",
    "attribute_exists n",
    "attribute_exists(n, n)",
    "attribute_exists()",
    "ATTRIBUTE_EXISTS(n)",
    "begins_with(s)",
    "begins_with(:v, s)",
    "unknown(n)",
    "value = :v",
    "VALUE = :v",
    "a;b = :v",
    "n = :v\u00a0",
    `n = ${":v".padEnd(4096, "v")}`,
    // Supported by DynamoDB, but not used by Sealway.
    "n <> :v",
    "NOT n = :v",
    "n BETWEEN :v AND :v",
    "n IN (:v)",
    "contains(s, :v)",
    "size(s) = :v",
    "attribute_type(s, :v)",
    "a.b = :v",
    "a[0] = :v",
  ])("is refused with ValidationException when it is %j", (expression) => {
    expect(() => evaluate(expression, { ":v": { N: "5" } })).toThrow(INVALID)
  })

  test.each([
    ["n < :v", { BOOL: true }],
    [":v >= n", { SS: ["a"] }],
    ["n = n OR n < :v", { NULL: true }],
    ["n < n AND n < :v", { L: [] }],
    ["begins_with(absent, :v)", { N: "1" }],
    ["begins_with(s, :v)", { SS: ["a"] }],
  ])("%s is refused with ValidationException for %j, whatever the item contains", (expression, v) => {
    for (const item of [ITEM, null]) {
      expect(() => evaluate(expression, { ":v": v }, item)).toThrow(INVALID)
    }
  })

  test("is refused with ValidationException when a placeholder is undefined or unused", () => {
    expect(() => evaluate("n = :v")).toThrow(INVALID)
    expect(() => evaluate("#n = :v", { ":v": { N: "5" } })).toThrow(INVALID)
    expect(() => evaluate("n = :v", { ":v": { N: "5" }, ":w": { N: "5" } })).toThrow(INVALID)
    expect(() => evaluate("n = n", {}, ITEM, { "#n": "n" })).toThrow(INVALID)
  })

  test("gives a value or ValidationException for any input", () => {
    const words = fc.constantFrom(
      "n",
      ":v",
      "#n",
      "=",
      "<",
      "(",
      ")",
      "AND",
      "OR",
      "NOT",
      ",",
      "begins_with",
      "attribute_exists",
      ".",
      "+",
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 20 }), (parts) => {
        try {
          parseCondition(parts.join(" "))
        } catch (error) {
          expect(error).toEqual(INVALID)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test("is refused with ValidationException when it is nested too deeply", () => {
    const nested = (levels: number): string =>
      levels === 0 ? "n = n" : `(n = n AND ${nested(levels - 1)}) OR n = n`
    expect(evaluate(nested(40))).toBe(true)
    expect(() => evaluate(nested(100))).toThrow(INVALID)
  })
})

describe("an update", () => {
  const KEPT = Object.fromEntries(ITEM)

  test.each([
    ["SET a = :v", { S: "x" }, { a: { S: "x" } }],
    ["set a = :v", { S: "x" }, { a: { S: "x" } }],
    ["SET s = :v", { BOOL: true }, { s: { BOOL: true } }],
    ["SET n = n + :v", { N: "2" }, { n: { N: "7" } }],
    ["SET n = n - :v", { N: "0.5" }, { n: { N: "4.5" } }],
    ["SET n = :v - n", { N: "2" }, { n: { N: "-3" } }],
    ["SET a = if_not_exists(n, :v)", { N: "2" }, { a: { N: "5" } }],
    ["SET a = if_not_exists(a, :v)", { N: "2" }, { a: { N: "2" } }],
    ["SET a = if_not_exists(a, :v) + :v", { N: "2" }, { a: { N: "4" } }],
    ["SET a = :v + if_not_exists(a, n)", { N: "2" }, { a: { N: "7" } }],
    ["SET a = n, b = :v", { N: "2" }, { a: { N: "5" }, b: { N: "2" } }],
    // All reads see the item before the update.
    ["SET n = :v, a = n", { N: "2" }, { n: { N: "2" }, a: { N: "5" } }],
    ["ADD n :v", { N: "-5" }, { n: { N: "0" } }],
    ["ADD a :v", { N: "2" }, { a: { N: "2" } }],
    ["ADD n :v, expiresAt :v", { N: "2" }, { n: { N: "7" }, expiresAt: { N: "12" } }],
    ["ADD a :v SET b = :v REMOVE s, absent", { N: "2" }, { a: { N: "2" }, b: { N: "2" }, s: undefined }],
  ])("%s changes only what it names, for %j", (expression, v, changes) => {
    expect(update(expression, { ":v": v })).toEqual(
      Object.fromEntries(Object.entries({ ...KEPT, ...changes }).filter(([, value]) => value !== undefined)),
    )
  })

  test.each([
    "",
    "SET",
    "SET a",
    "SET a =",
    "SET a = :v,",
    "SET a = :v b = :v",
    "SET a = :v SET b = :v",
    "SET a = :v + ",
    "SET a = :v + :v + :v",
    "SET a = :v, a = :v",
    "SET a = :v ADD a :v",
    "SET pk = :v",
    "REMOVE sk SET a = :v",
    "SET value = :v",
    "SET a = absent + :v",
    "SET a = absent REMOVE n SET b = :v",
    "SET a = s + :v",
    "SET a = list_append(a, :v)",
    "SET a.b = :v",
    "SET a[0] = :v",
    "ADD a = :v",
    "ADD a, b :v",
    "ADD s :v",
    "ADD :v a",
    "REMOVE :v",
    "REMOVE a b",
    "DELETE set :v",
    "UPSERT a = :v",
  ])("is refused with ValidationException when it is %j", (expression) => {
    expect(() => update(expression, { ":v": { N: "2" } })).toThrow(INVALID)
  })

  test.each([{ S: "2" }, { SS: ["a"] }, { L: [] }])("does not add %j", (v) => {
    expect(() => update("ADD a :v", { ":v": v })).toThrow(INVALID)
    expect(() => update("SET a = n + :v", { ":v": v })).toThrow(INVALID)
  })
})

describe("a key condition", () => {
  const partition = { attribute: "#pk", value: ":pk" }

  test.each([
    ["#pk = :pk", null],
    ["#pk = :pk AND begins_with(#sk, :prefix)", { attribute: "#sk", value: ":prefix" }],
    ["begins_with(#sk, :prefix) AND #pk = :pk", { attribute: "#sk", value: ":prefix" }],
    ["(#pk = :pk) AND (begins_with(#sk, :prefix))", { attribute: "#sk", value: ":prefix" }],
  ])("selects a partition, or a part of it: %s", (expression, sort) => {
    expect(parseKeyCondition(expression).tree).toEqual({ partition, sort })
  })

  test.each([
    "begins_with(#sk, :prefix)",
    "#pk < :pk",
    "#pk = #sk",
    ":pk = #pk",
    ":pk = :pk",
    "#pk = :pk OR begins_with(#sk, :prefix)",
    "#pk = :pk AND #sk = :prefix",
    "#pk = :pk AND #sk > :prefix",
    "begins_with(#pk, :pk) AND begins_with(#sk, :prefix)",
    "#pk = :pk AND begins_with(#sk, :prefix) AND begins_with(#sk, :prefix)",
    "attribute_exists(#pk)",
  ])("is refused with ValidationException when it is %j", (expression) => {
    expect(() => parseKeyCondition(expression)).toThrow(INVALID)
  })
})
