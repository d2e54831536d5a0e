import { spliceBytes } from "@sealway/kernel"
import { compileXmlSelector, UnreadableBodyError } from "@sealway/relay-engine"
import {
  JSON_PLAINTEXT,
  JSON_READER_CASES,
  locateXml,
  XML_NAME_CASES,
  XML_PLAINTEXT,
  XML_POSITION_CASES,
} from "@sealway/relay-engine/testing"
import fc from "fast-check"
import { XMLParser } from "fast-xml-parser"
import { describe, expect, test } from "vitest"
import { askReaders, type Language, type ReaderTask } from "./readers/ask-readers.ts"

type Step = string | number

/** Their programs are compiled first. */
const SLOW_START = { timeout: 120_000 }

/** The parsers that run the cases, by language. */
const READERS: readonly (readonly [language: Language, format: "json" | "xml", reader: string])[] = [
  ["go", "json", "Go"],
  ["go", "xml", "Go"],
  ["java", "xml", "Jackson"],
  ["php", "xml", "PHP"],
  ["python", "xml", "ElementTree"],
  ["python", "xml", "ElementTree by namespace"],
  ["ruby", "xml", "Rails"],
]

const CASES = [
  ...JSON_READER_CASES.map(({ body, ...each }) => ({
    ...each,
    format: "json",
    body,
    plaintext: JSON_PLAINTEXT,
  })),
  ...[...XML_NAME_CASES, ...XML_POSITION_CASES].map(({ document, ...each }) => ({
    ...each,
    format: "xml",
    body: document,
    plaintext: XML_PLAINTEXT,
  })),
]

/**
 * Returns names and positions; null for a selector that has anything else. A slice stands for where it begins, and
 * names have no prefixes: the parsers drop those of a document.
 */
function pathOf(selector: string): readonly Step[] | null {
  const steps: Step[] = []
  const rest = selector.replace(
    /^\$|\.(\*|[^.[*]+)|\['([^']+)'\]|\[(-?\d+)(?::\d+)?\]/g,
    (found, name: string | undefined, quoted: string | undefined, index: string | undefined) => {
      const step = name ?? quoted?.replace(/^.*:/, "") ?? (index === undefined ? null : Number(index))
      if (found !== "$" && step !== null) steps.push(step)
      return ""
    },
  )
  return rest === "" ? steps.filter((step) => step !== "#text") : null
}

/** Reads with fast-xml-parser, without prefixes. */
function readWithFastXmlParser(document: string, path: readonly Step[]): string {
  const parser = new XMLParser({ removeNSPrefix: true, parseTagValue: false })
  let value: unknown = parser.parse(document)
  for (const step of path) {
    if (typeof step === "number") {
      const list: readonly unknown[] = Array.isArray(value) ? value : [value]
      value = list.at(step)
    } else {
      value = typeof value === "object" && value !== null ? Reflect.get(value, step) : null
    }
  }
  return JSON.stringify(value) ?? ""
}

describe("a document that is refused", () => {
  test.for(READERS)(
    "would have given plaintext to parsers of %s, %s: %s",
    SLOW_START,
    ([language, format, reader], context) => {
      const asked = CASES.filter((each) => each.format === format && each.readers.includes(reader)).flatMap(
        (each) => {
          const path = pathOf(each.selector)
          return path === null || (format === "xml" && path.includes("*")) ? [] : [{ ...each, path }]
        },
      )
      expect(asked.length).toBeGreaterThan(0)
      const tasks = asked.map(({ body, path }): ReaderTask => [format, Buffer.from(body), path])
      const answers = askReaders(language, tasks)
      if (answers === null) return context.skip(`${reader} is not installed`)
      for (const [index, { what, plaintext }] of asked.entries()) {
        expect(`${what}: ${answers[index]}`).toContain(plaintext)
      }
    },
  )

  test("would have given plaintext to fast-xml-parser", () => {
    const asked = XML_POSITION_CASES.filter(({ readers }) => readers.includes("fast-xml-parser"))
    const read = asked.flatMap(({ selector, document, what }) => {
      const path = pathOf(selector)
      return path === null || path.includes("*") ? [] : [`${what}: ${readWithFastXmlParser(document, path)}`]
    })
    expect(read).toHaveLength(6)
    for (const answer of read) expect(answer).toContain(XML_PLAINTEXT)
  })
})

describe("a document that is passed on", () => {
  const item = fc.constantFrom(
    ...["<i>@</i>", "<a:i>@</a:i>", "<b:i>@</b:i>", '<i xmlns="u">@</i>', '<a:i xmlns:a="w">@</a:i>'],
    ...["<x>@</x>", "<a:x>@</a:x>"],
  )
  const sent = fc.record({
    items: fc.array(item, { minLength: 1, maxLength: 5 }),
    declaration: fc.constantFrom('xmlns:a="u" xmlns:b="u"', 'xmlns:a="u" xmlns:b="v" xmlns="v"'),
    index: fc.integer({ min: -3, max: 3 }),
  })

  /** Returns a document with one selected position sealed; null when it is refused. */
  function seal(document: string, selector: string): string | null {
    try {
      const body = locateXml(Buffer.from(document), [compileXmlSelector(selector)], {
        encrypting: new Set([0]),
      })
      const edits = body.selected.map(({ start, end }) => ({ start, end, text: "sealed" }))
      return spliceBytes(Buffer.from(document), edits).toString()
    } catch (error) {
      if (error instanceof UnreadableBodyError) return null
      throw error
    }
  }

  /** Returns what is passed on of many documents of which an item is encrypted by its position, and where that is. */
  function passedDocuments() {
    const passed: { readonly document: string; readonly path: readonly Step[] }[] = []
    for (const { items, declaration, index } of fc.sample(sent, 2_000)) {
      const document = `<o ${declaration}>${items.join("").replaceAll("@", "plain")}</o>`
      const sealed = seal(document, `$.o.i[${index}]`)
      if (sealed !== null) passed.push({ document: sealed, path: ["o", "i", index] })
    }
    expect(passed.length).toBeGreaterThan(200)
    return passed
  }

  test("has nothing in plaintext at an encrypted position for fast-xml-parser", () => {
    const seen = passedDocuments().filter(({ document, path }) =>
      readWithFastXmlParser(document, path).includes("plain"),
    )
    expect(seen).toEqual([])
  })

  test.for(["python", "go", "java"] as const)(
    "has nothing in plaintext at an encrypted position for parsers of %s",
    SLOW_START,
    (language, context) => {
      const passed = passedDocuments()
      const tasks = passed.map(({ document, path }): ReaderTask => ["xml", Buffer.from(document), path])
      const answers = askReaders(language, tasks)
      if (answers === null) return context.skip(`The readers of ${language} are not installed`)
      expect(passed.filter((_, index) => answers[index]?.includes("plain"))).toEqual([])
    },
  )
})
