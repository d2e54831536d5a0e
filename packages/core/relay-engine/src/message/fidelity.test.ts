import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib"
import { isToken } from "@sealway/tokens"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { SelectionType } from "../operations/selection.ts"
import { foldMemberName } from "../tree/name-readings.ts"
import { action, sendMessage } from "./testing/send-message.ts"
import { createTestCiphers } from "./testing/test-cipher.ts"

/** A part of a body: unchanged text, or the value at a selected place. */
interface Piece {
  readonly text: string
  readonly isSelected: boolean
}

const fixed = (text: string): Piece => ({ text, isSelected: false })
const selected = (text: string): Piece => ({ text, isSelected: true })
const between = (open: string, pieces: readonly (readonly Piece[])[], comma: string, close: string) => [
  fixed(open),
  ...pieces.flatMap((each, index) => (index === 0 ? each : [fixed(comma), ...each])),
  fixed(close),
]

const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\r"), maxLength: 2 })
const word = fc.string({ unit: "grapheme", maxLength: 8 })
const letters = fc.string({
  unit: fc.constantFrom("a", "b", "é", "漢", "-", "_", "1"),
  minLength: 1,
  maxLength: 6,
})

/** Fields named `s` are selected; scalars of other fields are spelled in ways that serializers would not preserve. */
const number = fc.constantFrom(
  "0",
  "-0",
  "1.0",
  "1e400",
  "12345678901234567890",
  "-1.5E+2",
  "0.10",
  "true",
  "false",
)
const oddScalar = fc.oneof(
  number,
  fc.constantFrom("null", '"\\u0041\\/\\ud800"', '"\\u0000"', '""', "{ }", "[]"),
  word.map((text) => JSON.stringify(text)),
)
const { json } = fc.letrec<{ json: Piece[] }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    oddScalar.map((text) => [fixed(text)]),
    fc
      .tuple(space, fc.array(tie("json"), { maxLength: 4 }))
      .map(([blank, items]) => between(`[${blank}`, items, `${blank},`, "]")),
    fc
      .tuple(
        space,
        fc.array(
          fc.oneof(
            fc
              .tuple(
                word.filter((name) => foldMemberName(name) !== "s"),
                tie("json"),
              )
              .map(([name, value]) => [fixed(`${JSON.stringify(name)} :`), ...value]),
            fc
              .oneof(
                number,
                word.map((text) => JSON.stringify(text)),
              )
              .map((value) => [fixed('"\\u0073": '), selected(value)]),
          ),
          { maxLength: 5 },
        ),
      )
      .map(([blank, members]) => between(`{${blank}`, members, `,${blank}`, `${blank}}`)),
  ),
}))

const xmlText = fc
  .array(fc.constantFrom("a", "é", "漢", "&amp;", "&lt;", "-", "1"), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""))
const oddXml = fc.oneof(
  xmlText,
  fc.constantFrom(
    "<!-- <s>x</s> -->",
    "<![CDATA[<s>]]>",
    "<?p s?>",
    "&#x41;",
    "<e/>",
    "<e a='1'  b=\"&quot;\" />",
    " \n",
  ),
)
const { xml } = fc.letrec<{ xml: Piece[] }>((tie) => ({
  xml: fc.oneof(
    { maxDepth: 4 },
    oddXml.map((text) => [fixed(text)]),
    xmlText.map((text) => [fixed("<s a='1'>"), selected(text), fixed("</s >")]),
    fc
      .array(tie("xml"), { maxLength: 4 })
      .map((children) => [fixed("<e  x='s'>"), ...children.flat(), fixed("</e>")]),
  ),
}))
const xmlDocument = xml.map((pieces) => [fixed('<?xml version="1.0"?>\n<r>'), ...pieces, fixed("</r>\n")])

const formValue = word.map((text) => new URLSearchParams({ s: text }).toString().slice(2))
const form = fc
  .array(
    fc.oneof(
      formValue.map((value) => [fixed("s="), selected(value)]),
      fc
        .constantFrom("", "a", "a=", "=b", "a=%41+%zz", "S1=1", "ss=1=2", "a;t=b")
        .map((text) => [fixed(text)]),
    ),
    { maxLength: 8 },
  )
  .map((fields) => between("", fields, "&", ""))

const multipart = fc
  .array(
    fc.oneof(
      word.map((text) => [
        fixed('--xyz\r\ncontent-disposition:form-data; name="s"\r\nX-A:  b\r\n\r\n'),
        selected(text),
        fixed("\r\n"),
      ]),
      fc
        .tuple(letters, fc.constantFrom("", '; filename="a.b"'), word)
        .map(([name, filename, text]) => [
          fixed(`--xyz\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n\r\n${text}\r\n`),
        ]),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => [fixed("\r\n"), ...parts.flat(), fixed("--xyz--\r\nepilogue")])

interface Format {
  readonly type: SelectionType
  readonly selector: string
  readonly contentType: string
  readonly body: fc.Arbitrary<Piece[]>
  /** A token at a selected place. */
  readonly token: RegExp
}

const PLAIN_TOKEN = /ev:[A-Za-z0-9+/=:]+:\$/y
const FORMATS: readonly (readonly [name: string, format: Format])[] = [
  [
    "JSON",
    { type: "json", selector: "$..s", contentType: "application/json", body: json, token: /"ev:[^"]+:\$"/y },
  ],
  ["XML", { type: "xml", selector: "$..s", contentType: "text/xml", body: xmlDocument, token: PLAIN_TOKEN }],
  [
    "forms",
    {
      type: "form",
      selector: "s",
      contentType: "application/x-www-form-urlencoded",
      body: form,
      token: /ev[^&]+/y,
    },
  ],
  [
    "multipart",
    {
      type: "form",
      selector: "s",
      contentType: "multipart/form-data; boundary=xyz",
      body: multipart,
      token: PLAIN_TOKEN,
    },
  ],
]

const same = (bytes: Buffer) => bytes
const CODINGS = [
  [null, same, same],
  ["gzip", gzipSync, gunzipSync],
  ["deflate", deflateSync, inflateSync],
  ["br", brotliCompressSync, brotliDecompressSync],
  ["zstd", zstdCompressSync, zstdDecompressSync],
] as const

const ciphers = createTestCiphers()

/** Responses are never encrypted as forms. */
const CASES = FORMATS.flatMap(([name, format]) =>
  (name === "forms" ? (["request"] as const) : (["request", "response"] as const)).map(
    (direction) => ({ name, direction, format }) as const,
  ),
)

describe("a body that is encrypted", () => {
  test.each(CASES)(
    "changes only at the selected places, and is restored by decryption: $name, $direction",
    async ({ direction, format: { type, selector, contentType, body, token } }) => {
      await fc.assert(
        fc.asyncProperty(body, fc.constantFrom(...CODINGS), async (pieces, [coding, encode, decode]) => {
          const original = Buffer.from(pieces.map(({ text }) => text).join(""))
          const headers = coding === null ? [] : ["Content-Encoding", coding]
          const cipher = ciphers.cipher(direction)
          const message = { direction, contentType, headers }
          const raw = encode(original)
          const actions = [action("encrypt", type, selector)]
          const encrypted = await sendMessage(cipher, { ...message, actions, body: raw })
          expect(encrypted.error).toBeNull()
          const places = pieces.filter(({ isSelected }) => isSelected).length
          expect(encrypted.report.selections).toMatchObject([{ matched: places, changed: places }])
          const isCoded = direction === "response"
          if (places === 0 && (isCoded || coding === null)) expect(encrypted.bytes).toBe(raw)
          const sent = encrypted.bytes ?? raw
          expectTokens((isCoded ? decode(sent) : sent).toString(), pieces, token)

          const back = await sendMessage(cipher, {
            ...message,
            actions: [action("decrypt", type, selector)],
            body: isCoded ? sent : encode(sent),
          })
          expect(decode(back.bytes ?? Buffer.alloc(0)).equals(original)).toBe(true)
        }),
        { numRuns: 150 },
      )
    },
  )
})

/** Checks that a text equals the pieces, with a token for each selected one. */
function expectTokens(text: string, pieces: readonly Piece[], token: RegExp): void {
  let at = 0
  for (const piece of pieces) {
    if (!piece.isSelected) {
      expect(text.slice(at, at + piece.text.length)).toBe(piece.text)
      at += piece.text.length
      continue
    }
    token.lastIndex = at
    const [found = ""] = token.exec(text) ?? []
    expect(isToken(decodeURIComponent(found.replace(/^"|"$/g, "")))).toBe(true)
    at += found.length
  }
  expect(at).toBe(text.length)
}
