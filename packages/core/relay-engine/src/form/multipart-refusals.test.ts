import { describe, expect, test } from "vitest"
import { readAtOnce } from "../body/located-body.ts"
import { UnwritableValueError } from "../errors/unwritable-value-error.ts"
import { EncryptedNames } from "./encrypted-names.ts"
import { locateMultipart } from "./locate-multipart.ts"
import {
  BOUNDARY,
  field,
  file,
  inChunks,
  latin1,
  refusalOf,
  render,
  rewritten,
  sealCards,
} from "./testing/multipart-bodies.ts"

const head = 'Content-Disposition: form-data; name="card"'
const withHead = (lines: string) => render([field("card", "4242", lines)])

describe("a multipart body that parsers disagree about", () => {
  test.each<[string, Buffer | string]>([
    ["nothing", ""],
    ["no boundary", "Hello"],
    [
      "another boundary",
      render([field("a", "1")])
        .toString("latin1")
        .replaceAll(BOUNDARY, "other"),
    ],
    ["no last boundary", render([field("a", "1")]).subarray(0, -6 - BOUNDARY.length)],
    ["half of the last boundary", render([field("a", "1")]).subarray(0, -4)],
    ["one dash of the last boundary", render([field("a", "1")]).subarray(0, -3)],
    ["no end of its headers", `--${BOUNDARY}\r\n${head}\r\n`],
    ["a part without headers", `--${BOUNDARY}\r\n\r\n1\r\n--${BOUNDARY}--`],
    ["a part without a body", `--${BOUNDARY}\r\n${head}\r\n--${BOUNDARY}--`],
    ["a boundary right behind the headers", `--${BOUNDARY}\r\n${head}\r\n\r\n--${BOUNDARY}--`],
    ["a boundary behind a line feed", `--${BOUNDARY}\r\n${head}\r\n\r\n1\n--${BOUNDARY}--`],
    ["a boundary behind a carriage return", `--${BOUNDARY}\r\n${head}\r\n\r\n1\r--${BOUNDARY}--`],
    ["a boundary behind the first line feed", `--${BOUNDARY}\r\n${head}\r\n\r\n\n--${BOUNDARY}--`],
    ["a boundary with spaces behind it", `--${BOUNDARY} \r\n${head}\r\n\r\n1\r\n--${BOUNDARY}--`],
    ["a boundary with a line feed behind it", `--${BOUNDARY}\n${head}\r\n\r\n1\r\n--${BOUNDARY}--`],
    [
      "a boundary with more behind it",
      `--${BOUNDARY}\r\n${head}\r\n\r\n1\r\n--${BOUNDARY}2\r\n--${BOUNDARY}--`,
    ],
    [
      "a boundary with one dash behind it",
      `--${BOUNDARY}\r\n${head}\r\n\r\n1\r\n--${BOUNDARY}-\r\n--${BOUNDARY}--`,
    ],
    ["a boundary within the preamble's line", `a--${BOUNDARY}\r\n${head}\r\n\r\n1\r\n--${BOUNDARY}--`],
    ["a boundary behind the preamble's line feed", `a\n--${BOUNDARY}\r\n${head}\r\n\r\n1\r\n--${BOUNDARY}--`],
    ["a boundary within a line of content", render([field("a", `1--${BOUNDARY}--`)])],
    ["a boundary behind a dash", render([field("a", `\r\n---${BOUNDARY}`)])],
    ["a boundary within a line of a file", render([file("a", "a", ` --${BOUNDARY}`.repeat(5))])],
    ["a part before the first boundary", render([], { preamble: `${head}\r\n\r\n1\r\n` })],
    ["a part behind the last boundary", render([], { epilogue: `\r\n${head}\r\n\r\n1` })],
    ["an empty line among the text behind the last boundary", render([], { epilogue: "\r\na\n\nb" })],
    ["a boundary in the epilogue", render([], { epilogue: `\r\n--${BOUNDARY}\r\n` })],
    ["text right behind the last boundary", render([], { epilogue: "x" })],
    ["a line feed behind the last boundary", render([], { epilogue: "\n" })],
    ["a boundary in the headers", withHead(`${head}\r\n--${BOUNDARY}: x`)],
    ["no disposition", withHead("Content-Type: text/plain")],
    ["two dispositions", withHead(`${head}\r\n${head}`)],
    ["two content types", withHead(`${head}\r\nContent-Type: a/b\r\ncontent-type: a/b`)],
    ["another disposition", withHead('Content-Disposition: attachment; name="card"')],
    ["no name", withHead("Content-Disposition: form-data")],
    ["two names", withHead(`${head}; name="card"`)],
    ["two names of different case", withHead(`${head}; NAME="a"`)],
    ["two filenames", withHead(`${head}; filename=a; filename=a`)],
    ["a filename* that is another", withHead(`${head}; filename=a; filename*=utf-8''b`)],
    ["a filename* alone", withHead(`${head}; filename*=utf-8''b`)],
    ["a filename* in another charset", withHead(`${head}; filename=a; filename*=iso-8859-1''a`)],
    ["a filename* that is malformed", withHead(`${head}; filename=a; filename*=utf-8''%zz`)],
    ["a name*", withHead(`${head}; name*=utf-8''card`)],
    ["a filename in pieces", withHead(`${head}; filename*0=a; filename*1=b`)],
    ["an escaped quote in a name", withHead('Content-Disposition: form-data; name="ca\\"rd"')],
    ["an escape in a name", withHead('Content-Disposition: form-data; name="c\\ard"')],
    ["an escaped quote in a filename", withHead(`${head}; filename="a\\"; name=\\"b"`)],
    ["an apostrophe in a name without quotes", withHead("Content-Disposition: form-data; name=c'ard")],
    ["a percent sign in a name without quotes", withHead("Content-Disposition: form-data; name=c%22ard")],
    ["an unclosed quote", withHead('Content-Disposition: form-data; name="card')],
    ["space around an equals sign", withHead('Content-Disposition: form-data; name = "card"')],
    ["a comma for a semicolon", withHead('Content-Disposition: form-data, name="card"')],
    ["space before a colon", withHead('Content-Disposition : form-data; name="card"')],
    ["a line without a colon", withHead(`${head}\r\nnonsense`)],
    ["a folded line", withHead('Content-Disposition: form-data;\r\n name="card"')],
    ["a line feed in its headers", withHead(`${head}\nX-A: b`)],
    ["a carriage return in its headers", withHead(`${head}\rX-A: b`)],
    ["a NUL in its headers", withHead(`${head}\r\nX-A: \0`)],
    ["headers that are not UTF-8", withHead('Content-Disposition: form-data; name="\xe9"')],
    ["multipart in a part", withHead(`${head}\r\nContent-Type: multipart/mixed; boundary=b`)],
    ["a malformed content type in a part", withHead(`${head}\r\nContent-Type: text`)],
  ])("is refused when it has %s", async (_what, body) => {
    for (const size of [1, 2, 3, 7, Math.max(body.length, 1)]) {
      expect(await refusalOf(body, { size })).toMatchObject({
        name: "UnreadableBodyError",
        reason: "malformed",
      })
    }
    const bytes = typeof body === "string" ? latin1(body) : body
    expect(() => locateMultipart(bytes, BOUNDARY, [])).toThrow(
      expect.objectContaining({ reason: "malformed" }),
    )
  })

  test.each([
    ["JSON, for Go", '{"card":"4242"}\r\n', [field("a", "1")]],
    ["JSON before no parts", '{"card":"4242"}\r\n', []],
    ["any text", "This is MIME.\r\n", [field("a", "1")]],
  ])(
    "is refused when anything is encrypted and text precedes its parts: %s",
    async (_what, preamble, parts) => {
      const body = render(parts, { preamble })
      const none = new EncryptedNames([])
      const encrypted = { fields: new EncryptedNames(["card"]), files: none }
      for (const each of [encrypted, { fields: none, files: encrypted.fields }]) {
        expect(() => locateMultipart(body, BOUNDARY, ["card"], { encrypted: each })).toThrow(
          expect.objectContaining({ reason: "malformed" }),
        )
      }
      expect(await refusalOf(body, { allowsPreamble: false })).toMatchObject({ reason: "malformed" })
      expect(await refusalOf(body)).toBeNull()
      expect(locateMultipart(body, BOUNDARY, ["card"]).selected).toEqual([])
      const blank = render([field("card", "1")], { preamble: "\r\n" })
      expect(locateMultipart(blank, BOUNDARY, ["card"], { encrypted }).selected).toHaveLength(1)
    },
  )

  test.each([
    ["in base64", field("card", "NDI=", `${head}\r\nContent-Transfer-Encoding: base64`)],
    ["quoted-printable", field("card", "=34", `${head}\r\nContent-Transfer-Encoding: Quoted-Printable`)],
    ["in another charset", field("card", "\xe9", `${head}\r\nContent-Type: text/plain; charset=iso-8859-1`)],
    ["not UTF-8", field("card", "\xe9")],
  ])("is refused when a field to rewrite is %s, and passes otherwise", async (_what, part) => {
    const body = render([part])
    await expect(rewritten(body, sealCards)).rejects.toMatchObject({ reason: "malformed" })
    expect(() => {
      const located = locateMultipart(body, BOUNDARY, ["card"])
      return located.selected.map((value) => readAtOnce(located.text(value)))
    }).toThrow(expect.objectContaining({ reason: "malformed" }))
    expect(await rewritten(body, () => "pass")).toEqual(body)
    expect(locateMultipart(body, BOUNDARY, ["a"]).selected).toEqual([])
  })

  test.each([
    ["behind a line break", "\r\n"],
    ["behind a line feed", "1\n"],
    ["behind a carriage return", "1\r"],
    ["at once", ""],
  ])("is never written: a value that contains the boundary %s is refused", async (_where, before) => {
    const forged = latin1(`${before}--${BOUNDARY}\r\nContent-Disposition: form-data; name="admin"\r\n\r\n1`)
    const fields = render([field("card", "1")])
    const files = render([file("card", "a", "1")])
    const located = locateMultipart(fields, BOUNDARY, ["card"])
    for (const value of located.selected) {
      expect(() => located.write(value, "string", forged)).toThrow(UnwritableValueError)
    }
    await expect(rewritten(fields, () => ({ value: async () => forged }))).rejects.toThrow(
      UnwritableValueError,
    )
    for (let size = 1; size <= forged.length; size++) {
      const forging = rewritten(files, () => ({ file: () => inChunks(forged, size) }))
      await expect(forging).rejects.toThrow(UnwritableValueError)
    }
  })
})
