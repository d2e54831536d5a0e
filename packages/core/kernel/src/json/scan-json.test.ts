import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { JsonDepthError, type JsonSink, JsonSyntaxError, scanJson, scanJsonInSteps } from "./scan-json.ts"

const MAX_DEPTH = 100

/** Returns what the scanner reported about a text, with the literals that it pointed at. */
function scan(text: string, maxDepth = MAX_DEPTH): string[] {
  const bytes = Buffer.from(text)
  const told: string[] = []
  const at = (start: number, end: number) => bytes.toString("utf8", start, end)
  const sink: JsonSink = {
    open: (container) => told.push(container),
    close: () => told.push("close"),
    key: (start, end) => told.push(`key ${at(start, end)}`),
    scalar: (kind, start, end) => told.push(`${kind} ${at(start, end)}`),
  }
  scanJson(bytes, sink, maxDepth)
  return told
}

function accepts(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonSyntaxError) return false
    throw error
  }
}

/** Texts that are almost JSON, on which parsers disagree. */
const nearJson = fc
  .tuple(
    fc.json(),
    fc.nat(),
    fc.constantFrom("", ",", '"', "\\", "{", "]", "0", "-", ".", "e", "\u0001", " ", "\ufeff"),
  )
  .map(([json, at, damage]) => {
    const place = at % (json.length + 1)
    return json.slice(0, place) + damage + json.slice(place + (at % 2))
  })

describe("the JSON scanner", () => {
  test("reports every part of a document in order, each literal as it is spelled", () => {
    expect(scan('{"a" : [1.0, -2E+3, "x\\n"],"b":{},"c":[], "a":null , "d":true}')).toEqual([
      "object",
      'key "a"',
      "array",
      "number 1.0",
      "number -2E+3",
      'escaped-string "x\\n"',
      "close",
      'key "b"',
      "object",
      "close",
      'key "c"',
      "array",
      "close",
      'key "a"',
      "null null",
      'key "d"',
      "boolean true",
      "close",
    ])
  })

  test.each(['"x"', "12345678901234567890", "false", "null", " \t\r\n[] "])(
    "accepts %j as a whole document",
    (text) => {
      expect(scan(text)).not.toEqual([])
    },
  )

  test("accepts and refuses what JSON.parse accepts and refuses", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          nearJson,
          fc.string({ maxLength: 12, unit: fc.constantFrom(...'{}[]":,0-1.eE+ \\u"tfn') }),
        ),
        (text) => {
          expect(accepts(() => scan(text, Number.POSITIVE_INFINITY))).toBe(accepts(() => JSON.parse(text)))
        },
      ),
      { numRuns: 3000 },
    )
  })

  test("reports literals that reassemble to the document", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const literals = scan(JSON.stringify(value), Number.POSITIVE_INFINITY)
          .filter((part) => /^(string|escaped-string|number|boolean|null) /.test(part))
          .map((part) => JSON.parse(part.slice(part.indexOf(" ") + 1)))
        expect(literals).toEqual(leaves(JSON.parse(JSON.stringify(value))))
      }),
    )
  })

  test("reports the place of an error and not the text there", () => {
    const error = catchError(() => scan('{"secret": hunter2}'))
    expect(error).toBeInstanceOf(JsonSyntaxError)
    expect(error).toMatchObject({ offset: 11, message: "Unexpected byte at byte 11" })
  })

  test("reports when a text ends too soon", () => {
    expect(catchError(() => scan('{"a":'))).toMatchObject({ message: "Unexpected end at byte 5" })
  })

  test("accepts containers as deep as the limit and refuses one more", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
    expect(scan(nested(MAX_DEPTH))).toHaveLength(2 * MAX_DEPTH)
    expect(() => scan(nested(MAX_DEPTH + 1))).toThrow(JsonDepthError)
    expect(() => scan('{"a":'.repeat(MAX_DEPTH + 1))).toThrow(JsonDepthError)
  })

  test("yields within a long string, key or value, with the same result", () => {
    const long = fc
      .tuple(
        fc.constantFrom(8_170, 8_190, 16_380, 30_000),
        fc.array(fc.constantFrom("a", '\\"', "\\u00e9", "é", "\\\\")),
      )
      .map(([length, rest]) => "x".repeat(length) + rest.join(""))
    fc.assert(
      fc.property(long, long, fc.boolean(), (key, value, isBroken) => {
        const text = `{"${key}" : ["${value}", 1], "b": "${value}${isBroken ? "\u0001" : ""}"}`
        const told: string[] = []
        const bytes = Buffer.from(text)
        const note = (kind: string) => (start: number, end: number) =>
          told.push(`${kind} ${bytes.toString("utf8", start, end)}`)
        const work = scanJsonInSteps(
          bytes,
          {
            open: () => undefined,
            close: () => undefined,
            key: note("key"),
            scalar: (_, start, end) => note("scalar")(start, end),
          },
          MAX_DEPTH,
        )
        let steps = 0
        const run = () => {
          while (work.next().done !== true) steps++
        }
        if (isBroken) expect(run).toThrow(JsonSyntaxError)
        else {
          run()
          expect(told).toEqual([
            `key "${key}"`,
            `scalar "${value}"`,
            "scalar 1",
            'key "b"',
            `scalar "${value}"`,
          ])
          expect(steps).toBeGreaterThanOrEqual(Math.floor(bytes.length / 8_192) - 1)
        }
      }),
    )
    for (const text of [`"${"x".repeat(20_000)}`, `{"${"x".repeat(20_000)}`, `"${"x".repeat(20_000)}\\`]) {
      expect(catchError(() => scan(text))).toMatchObject({ message: `Unexpected end at byte ${text.length}` })
    }
  })

  test("survives a million opening brackets", () => {
    expect(() => scan("[".repeat(1_000_000), Number.POSITIVE_INFINITY)).toThrow(JsonSyntaxError)
  })
})

function leaves(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [value]
  return Object.values(value).flatMap(leaves)
}

function catchError(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error("Nothing was thrown")
}
