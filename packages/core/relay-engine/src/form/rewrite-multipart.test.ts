import { spliceBytes } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { encodeAtOnce } from "../body/encode-in-steps.ts"
import { readAtOnce } from "../body/located-body.ts"
import { locateMultipart } from "./locate-multipart.ts"
import type { PartHead } from "./part-head.ts"
import {
  BOUNDARY,
  type Frame,
  field,
  file,
  type Part,
  render,
  rewritten,
  seal,
  sealCards,
  sealed,
} from "./testing/multipart-bodies.ts"

const TABLE: readonly (readonly [string, readonly Part[], Frame?])[] = [
  ["no part", []],
  ["one field", [field("card", "4242")]],
  ["one field that is not selected", [field("a", "4242")]],
  ["an empty field", [field("card", "")]],
  ["two fields of one name", [field("card", "1"), field("card", "2")]],
  ["an empty name", [field("", "1"), field("card", "2")]],
  ["one empty file", [file("card", "a.txt", "")]],
  ["a file without a filename's text", [file("card", "", "x")]],
  ["a file of every byte", [file("card", "a", String.fromCharCode(...Array(256).keys()))]],
  ["a field between files", [file("a", "a", "1"), field("card", "2"), file("card", "c", "3")]],
  ["line feeds in content", [field("card", "a\nb\n\nc\n"), file("card", "a", "\n\n")]],
  ["carriage returns in content", [field("card", "a\rb\r\rc\r")]],
  ["line breaks in content", [field("card", "\r\n\r\na\r\n\r\n")]],
  ["dashes in content", [field("card", "--\r\n--\r\n----"), field("a", "\r\n--")]],
  ["the boundary without its dashes in content", [field("card", `\r\n${BOUNDARY}\r\n-${BOUNDARY}`)]],
  ["all of a boundary but its end in content", [field("card", `\r\n--${BOUNDARY.slice(0, -1)}\r\n--`)]],
  ["what looks like headers in content", [field("card", 'Content-Disposition: form-data; name="a"\r\n\r\n')]],
  ["UTF-8 in content", [field("card", "\xc3\xa9\xe2\x82\xac")]],
  ["UTF-8 in a name", [field("\xc3\xa9", "1", 'Content-Disposition: form-data; name="\xc3\xa9"')]],
  ["nothing behind the last boundary", [field("card", "1")], { epilogue: "" }],
  ["an epilogue", [field("card", "1")], { epilogue: "\r\nThat was all.\n\r --x" }],
  ["empty lines behind the last boundary", [field("card", "1")], { epilogue: "\r\n\r\n" }],
  ["a preamble", [field("card", "1")], { preamble: "This is MIME.\nYes.\r\n" }],
  ["an empty line before the first boundary", [field("card", "1")], { preamble: "\r\n" }],
  ...[
    "content-disposition: form-data; name=card",
    'CONTENT-DISPOSITION:FORM-DATA;NAME="card"',
    'Content-Disposition:\t form-data \t;\t name="card" \t',
    'Content-Disposition: form-data; name="card";',
    'Content-Disposition: form-data;; name="card" ; size=4',
    'Content-Disposition: form-data; name="card"\r\nContent-Type: text/plain; charset=utf-8',
    'Content-Type:text/plain;charset="US-ASCII"\r\nContent-Disposition: form-data; name="card"',
    'Content-Disposition: form-data; name="card"\r\nContent-Transfer-Encoding: 8bit',
    'Content-Disposition: form-data; name="card"\r\nX-Odd: "unclosed\r\nX-Empty:\r\nx-e: :;=',
    "Content-Length: 99\r\nContent-Disposition: form-data; name=card",
  ].map((head): readonly [string, readonly Part[]] => [
    `the head ${JSON.stringify(head)}`,
    [field("card", "4", head)],
  ]),
  ...[
    ['form-data; filename="a.txt"; name="card"', "a.txt"],
    ['form-data; name="card"; filename=a.txt', "a.txt"],
    ['form-data; name="card"; filename="C:\\dir\\a.txt"', "C:\\dir\\a.txt"],
    ['form-data; name="card"; filename="a%22b;=.txt"', "a%22b;=.txt"],
    ['form-data; name="card"; filename="a.txt"; filename*=utf-8\'\'a.txt', "a.txt"],
    ["form-data; name=card; filename=\"\xc3\xa9\"; filename*=UTF-8'en'%C3%A9", "\xc3\xa9"],
    [`form-data; name="card"; filename="-${BOUNDARY}"`, `-${BOUNDARY}`],
  ].map(([disposition = "", filename = ""]): readonly [string, readonly Part[]] => [
    `the disposition ${JSON.stringify(disposition)}`,
    [file("card", filename, "content\r\n", `Content-Disposition: ${disposition}`), field("a", "b")],
  ]),
]

const CASES = TABLE.map(([what, parts, frame]) => ({ what, parts, frame }))

describe("a multipart body", () => {
  test.each(CASES)(
    "with $what keeps every byte that is not rewritten, for any chunk size",
    async ({ parts, frame }) => {
      const body = render(parts, frame)
      const expected = render(parts, frame, sealed)
      for (let size = 1; size <= body.length; size++) {
        const heads: PartHead[] = []
        const output = await rewritten(
          body,
          (head) => {
            heads.push(head)
            return sealCards(head)
          },
          { size },
        )
        expect(output.toString("latin1")).toBe(expected.toString("latin1"))
        expect(heads).toMatchObject(
          parts.map(({ name, filename }) => ({
            name: Buffer.from(name, "latin1").toString(),
            filename: filename === undefined ? null : Buffer.from(filename, "latin1").toString(),
            readable: true,
          })),
        )
      }
    },
  )

  test.each(CASES)("with $what has its fields as values, when it is read as a whole", ({ parts, frame }) => {
    const body = render(parts, frame)
    const located = locateMultipart(body, BOUNDARY, ["none", "card"])
    const edits = located.selected.map((value) => ({
      start: value.start,
      end: value.end,
      text: encodeAtOnce(located.write(value, "string", seal(readAtOnce(located.text(value))))),
    }))
    const fields = parts.filter(({ filename }) => filename === undefined)
    const expected = render(parts, frame, (part) =>
      part.filename === undefined ? sealed(part) : part.content,
    )
    expect(spliceBytes(body, edits).toString("latin1")).toBe(expected.toString("latin1"))
    expect(located.selected.map((value) => [located.path(value), value.selectors])).toEqual(
      fields.filter(({ name }) => name === "card").map(() => ["card", [1]]),
    )
    expect([...located.unselected()]).toHaveLength(fields.filter(({ name }) => name !== "card").length)
  })

  test("keeps every byte that is not rewritten, whatever it contains and however it arrives", async () => {
    const content = fc
      .array(fc.constantFrom("\r", "\n", "\r\n", "-", "--", BOUNDARY, "a", "\xc3\xa9", BOUNDARY.slice(0, 4)))
      .map((pieces) => pieces.join(""))
      .filter((text) => !text.includes(`--${BOUNDARY}`))
    const name = fc.constantFrom("card", "a", "Card")
    const part = fc.oneof(
      fc.tuple(name, content).map(([key, text]) => field(key, text)),
      fc.tuple(name, content).map(([key, text]) => file(key, "f", text)),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 5 }),
        fc.integer({ min: 1, max: 200 }),
        async (parts, size) => {
          const output = await rewritten(render(parts), sealCards, { size })
          expect(output.toString("latin1")).toBe(render(parts, {}, sealed).toString("latin1"))
        },
      ),
    )
  })

  test("continues after a file that is not read to its end", async () => {
    const body = render([file("card", "a", "x".repeat(1_000)), field("card", "2")])
    const output = await rewritten(
      body,
      (head) => {
        if (head.filename === null) return sealCards(head)
        return {
          async *file(content) {
            for await (const chunk of content) {
              yield chunk.subarray(0, 1)
              return
            }
          },
        }
      },
      { size: 100 },
    )
    expect(output.toString("latin1")).toBe(
      render([file("card", "a", "x"), field("card", "ev:<2>")]).toString("latin1"),
    )
  })
})
