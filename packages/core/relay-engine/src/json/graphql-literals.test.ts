import { describe, expect, test } from "vitest"
import { UnreadableBodyError } from "../body/located-body.ts"
import { compileJsonPath } from "../jsonpath/compile-json-path.ts"
import { locateJson } from "./locate-json.ts"

function isRefused(selector: string, body: object, isEncrypting = true): boolean {
  const encrypting = new Set(isEncrypting ? [0] : [])
  try {
    locateJson(Buffer.from(JSON.stringify(body)), [compileJsonPath(selector)], {
      encrypting,
      caseSensitiveNames: true,
    })
    return false
  } catch (error) {
    if (!(error instanceof UnreadableBodyError) || error.reason !== "malformed") throw error
    expect(error.message).toContain(`\`${selector}\``)
    return true
  }
}

const CARD = "$.variables.card.number"
const PIN = "$.variables.pin"

describe("a GraphQL query beside encrypted variables", () => {
  test.each([
    ["a text for a field of an argument", CARD, 'mutation { pay(card: {number: "4242"}) { id } }'],
    ["a number", CARD, "mutation { pay(card: {number: 4242}) { id } }"],
    ["a negative number", PIN, "mutation { pay(pin: -4242) { id } }"],
    ["a block text", CARD, 'mutation { pay(card: {number: """4242"""}) { id } }'],
    ["a text for an argument of that name", CARD, 'mutation { pay(number: "4242") { id } }'],
    ["commas, comments and blanks before it", CARD, 'mutation { pay(number\n:\t,,#x"\n"4242") { id } }'],
    ["a comment before it that ends in a carriage return", PIN, 'mutation { pay(pin: #x\r"4242") { id } }'],
    [
      "a text after another one with quotes in it",
      PIN,
      'mutation { pay(a: "\\"", b: """\\""" \\ """, pin: "4242") { id } }',
    ],
    ["a list", PIN, 'mutation { pay(pin: ["4242"]) { id } }'],
    ["an object", PIN, 'mutation { pay(pin: {value: "4242"}) { id } }'],
    ["a default", PIN, 'mutation Pay($pin: String! = "4242") { pay(pin: $pin) { id } }'],
    [
      "a default of a list's type",
      PIN,
      'mutation Pay($pin: [String!]! = ["4242"]) { pay(pin: $pin) { id } }',
    ],
    [
      "a field of a default",
      CARD,
      'mutation Pay($card: Card = {number: "4242"}) { pay(card: $card) { id } }',
    ],
    ["an enum's value", PIN, "mutation { pay(pin: FOUR) { id } }"],
    ["an enum's value that begins like an order", PIN, "mutation { pay(pin: asc4242) { id } }"],
    ["an enum's value for a field", CARD, "mutation { pay(card: {number: n4242}) { id } }"],
    ["an enum's value as a default", PIN, "mutation Pay($pin: Pin = FOUR) { pay(pin: $pin) { id } }"],
    ["a boolean", PIN, "{ a(b: {c: 1}) { pin: d } e(pin: true) }"],
    ["another variable", PIN, "mutation Pay($x: String!) { pay(pin: $x) { id } }"],
    ["another variable for a field", CARD, "mutation Pay($x: String!) { pay(card: {number: $x}) { id } }"],
    ["an unfinished text", PIN, 'mutation { pay(pin: "4242'],
    [
      "any text, where all variables are encrypted",
      "$.variables.*",
      'mutation { pay(anything: "4242") { id } }',
    ],
    ["any text in a list", "$.variables", 'mutation { pay(anything: ["4242"]) { id } }'],
  ])("is refused with %s", (_, selector, query) => {
    expect(isRefused(selector, { query, variables: {} })).toBe(true)
    expect(isRefused(selector, { query, variables: {} }, false)).toBe(false)
    const batched = selector.replace("$", "$[*]")
    expect(isRefused(batched, [{ query: "{ a }" }, { query }])).toBe(true)
  })

  test.each([
    [CARD, 'mutation Pay($card: Card!) { pay(card: $card, first: 10, note: "x") { id } }'],
    [PIN, "mutation Pay($pin: String!) { pay(card: {pin: $pin}) { id } }"],
    [PIN, "{ pin: secret(id: 7) { number: pan } }"],
    [PIN, '{ a(pins: "1", note: "pin: 4242 \\" pin: 4242") { id } } # pin: "4242"'],
    [PIN, "query Q($pin: String, $first: Int = 10) { a(pin: $pin, first: $first) { pin } }"],
    [PIN, "mutation { pay(pin: null, mode: LIVE) { id } }"],
    [PIN, "{ a(orderBy: {pin: DESC}) { id } b(order_by: [{pin: asc_nulls_last}]) { id } }"],
    ["$.variables.*", "query Q($a: Int) { a(first: 10, a: $a) { id } }"],
    ["$.pin", 'mutation { pay(pin: "4242") { id } }'],
  ])("passes if all selected values come from their variables: %s, %s", (selector, query) => {
    expect(isRefused(selector, { query, variables: { pin: "1" } })).toBe(false)
  })

  test.each([
    [PIN, '{"pin":"4242"}'],
    [CARD, '{"card":{"number":"4242"}}'],
    ["$.variables.*", '{"pin":"4242"}'],
    ["$.variables..pin", ' {"pin":"4242"}'],
  ])("is refused beside variables in a text, which servers parse: %s, %s", (selector, variables) => {
    expect(isRefused(selector, { query: "{ a }", variables })).toBe(true)
    expect(isRefused(selector, { query: "{ a }", variables }, false)).toBe(false)
    for (const none of ["", "{ }", "null"]) {
      expect(isRefused(selector, { query: "{ a }", variables: none })).toBe(false)
    }
  })

  test.each([
    ["a value in the query", [{ query: "{ a }" }, { query: 'mutation { pay(pin: "4242") { id } }' }]],
    ["a variable", [{ query: "{ a }" }, { query: "{ a }", variables: { pin: "4242" } }]],
    ["variables in a text", [{ query: "{ a }", variables: '{"pin":"4242"}' }]],
  ])("is refused in a list of requests that has %s, unless it is selected in the list", (_, body) => {
    expect(isRefused(PIN, body)).toBe(true)
    expect(isRefused(PIN, body, false)).toBe(false)
    expect(isRefused(PIN, [{ query: "{ a }", variables: {} }])).toBe(false)
    const selectors = [compileJsonPath(PIN), compileJsonPath("$[*].variables.pin")]
    const located = () =>
      locateJson(Buffer.from('[{"query":"{ a }","variables":{"pin":"4242"}}]'), selectors, {
        encrypting: new Set([0, 1]),
        caseSensitiveNames: true,
      })
    expect(located().selected).toHaveLength(1)
  })

  test("passes beside variables in a text that is encrypted as a whole", () => {
    expect(isRefused("$.variables", { query: "{ a }", variables: '{"pin":"4242"}' })).toBe(false)
  })

  test("is only looked for where a server reads it", () => {
    const query = 'mutation { pay(pin: "4242") { id } }'
    expect(isRefused(PIN, { q: query, query: 7, a: { query } })).toBe(false)
    expect(isRefused("$.operations.variables.pin", { operations: { query } })).toBe(true)
  })

  test("is read in time that grows with its size alone", () => {
    for (const piece of ['"', '"""\\"""', "#", "pin:", "{", "\\", "$pin:="]) {
      expect(isRefused(PIN, { query: piece.repeat(100_000) })).toBeTypeOf("boolean")
    }
    const body = Buffer.from(JSON.stringify({ query: " ".repeat(1_000) }))
    const locateWithin = (maxSteps: number) => () =>
      locateJson(body, [compileJsonPath(PIN)], { encrypting: new Set([0]), maxSteps })
    expect(locateWithin(3_000)).not.toThrow()
    expect(locateWithin(1_500)).toThrow(expect.objectContaining({ reason: "too-large" }))
  })
})
