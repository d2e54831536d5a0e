import { PLAINTEXT } from "@sealway/relay-engine/testing"
import fc from "fast-check"
import type { SentForm } from "./node-readers.ts"

/** The field that such forms try to get past its encryption. */
export const FIELD = "card"

/** Returns one of the usual texts or, sometimes, an odd one. */
const mostly = (usual: readonly string[], ...odd: string[]) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  )
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(""))
/** Returns spellings of a name, with what parsers drop or add. */
const nameAmong = (...noise: string[]) => {
  const around = fc.oneof(
    { weight: 5, arbitrary: fc.constant("") },
    fc.array(fc.constantFrom(...noise), { maxLength: 4 }).map((some) => some.join("")),
  )
  return joined(around, mostly(["card", "a", "ca", ""], "Card", "CARD"), around)
}

const urlencodedField = joined(
  nameAmong(
    ...["[", "]", "[]", "[0]", "[x]", "%5B", "%5D", ".", "_", "'", "=", ";", "%3B", "card", "!", "?"],
    ...["+", "%20", "\r\n", "%00", "%", "%C3", "%u0063", "\xef\xbb\xbf", "%EF%BB%BF"],
  ),
  mostly(["="], "", "]="),
  mostly([PLAINTEXT], "", `;card=${PLAINTEXT}`, "%zz"),
)
const FORM = "application/x-www-form-urlencoded"
const urlencoded = fc
  .tuple(
    mostly(
      [FORM, `${FORM}; charset=utf-8`],
      `${FORM}; charset=iso-8859-1`,
      `${FORM}; a=json`,
      "text/plain; a=urlencoded",
    ),
    fc.array(urlencodedField, { minLength: 1, maxLength: 3 }),
    mostly(["&"], "&&", ";", "\r\n"),
  )
  .map(([contentType, fields, separator]) => formOf(contentType, fields.join(separator)))

const name = nameAmong(
  "[",
  "]",
  "[]",
  "[0]",
  ".",
  " ",
  "\t",
  "%00",
  "\\",
  "=?utf-8?q?",
  "?=",
  "'",
  ";",
  "\xef\xbb\xbf",
  "name=",
  "%22",
)
const disposition = fc
  .tuple(
    mostly(
      ['form-data; name="@"'],
      ...["form-data; name=@", 'form-data; x="name=card"; name="@"', 'form-data; name="@"; name="a"'],
      ...["form-data; name=\"@\"; name*=utf-8''card", 'attachment; name="@"'],
    ),
    name,
    mostly(
      ["", "", '; filename="a"'],
      '; filename=""',
      "; filename=a",
      "; filename*=utf-8''a",
      '; filename="name=card"',
    ),
  )
  .map(([form, field, filename]) => `Content-Disposition: ${form.replace("@", field)}${filename}`)
const head = joined(
  mostly(["", "X-A: b\r\n"], 'X-A: Content-Disposition: form-data; name="card"\r\n', " folded\r\n"),
  disposition,
  mostly(
    ["", "", "\r\nContent-Type: text/plain", "\r\nContent-Type: application/octet-stream"],
    ...["\r\nContent-Type: text/plain; charset=utf-16", "\n", "\r\nContent-Length: 3"],
    ...["\r\nContent-Transfer-Encoding: base64", "\r\nContent-Transfer-Encoding: quoted-printable"],
  ),
)
const lineEnd = mostly(["\r\n"], "\n", "\r", "", " \r\n")
const delimiter = joined(lineEnd, mostly(["--B"], "---B", "1--B", "--A", "--b", "--B2"), lineEnd)
const content = fc.oneof(
  { weight: 6, arbitrary: fc.constant(PLAINTEXT) },
  fc.constantFrom("", btoa(PLAINTEXT), PLAINTEXT.replace("p", "=70")),
  joined(
    fc.constant("1"),
    joined(lineEnd, fc.constantFrom("--A", "--", "--b", "-B"), lineEnd),
    head,
    fc.constant(`\r\n\r\n${PLAINTEXT}`),
  ),
)
const part = joined(delimiter, head, mostly(["\r\n\r\n"], "\n\n", "\r\n"), content)
const around = fc.oneof(
  {
    weight: 9,
    arbitrary: mostly(
      [""],
      "text",
      "\r\n",
      `\r\nContent-Disposition: form-data; name="card"\r\n\r\n${PLAINTEXT}`,
    ),
  },
  part,
)
const MULTIPART = "multipart/form-data; boundary=B"
const multipart = fc
  .tuple(
    mostly(
      [MULTIPART, 'multipart/form-data; charset=utf-8; boundary="B"'],
      ...[
        `${MULTIPART}; boundary*0=A`,
        `${MULTIPART}; boundary*=utf-8''A`,
        "multipart/form-data; xboundary=A; boundary=B",
      ],
      ...["multipart/mixed; boundary=B", "multipart/related; boundary=B"],
    ),
    around,
    fc.array(part, { minLength: 1, maxLength: 3 }),
    mostly(["\r\n--B--\r\n", "\r\n--B--"], "\n--B--\r\n", "\r\n--B-- \r\n", ""),
    around,
  )
  .map(([contentType, before, parts, end, behind]) =>
    formOf(contentType, `${before}${parts.join("")}${end}${behind}`.replace(/^\r\n(?=--B)/, "")),
  )

/** Forms that parsers may read differently. Some of them are harmless, so that not all are refused. */
export const hostileForm: fc.Arbitrary<SentForm> = fc.oneof(urlencoded, multipart)

function formOf(contentType: string, body: string): SentForm {
  return { contentType, body: Buffer.from(body, "latin1") }
}
