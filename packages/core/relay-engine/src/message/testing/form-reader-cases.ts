import type { RelayErrorCode } from "@sealway/kernel"
import type { SelectionType } from "../../operations/selection.ts"

/** The plaintext in the bodies of the cases. */
export const PLAINTEXT = "plain-4242"

/** A request that some parser reads differently than the relay: it would see plaintext in an encrypted field. */
export interface FormReaderCase {
  /** The parsers that read it so. The installable ones are tested by `test/relay/form-readers.test.ts`. */
  readonly readers: readonly string[]
  readonly what: string
  /** What is encrypted; `form` and `card` by default. */
  readonly selection: { readonly type: SelectionType; readonly selector: string }
  readonly contentType: string
  /** Bytes as Latin-1 characters. */
  readonly body: string
  readonly code: RelayErrorCode
}

const FORM = "application/x-www-form-urlencoded"
const MULTIPART = "multipart/form-data; boundary=B"
const CARD = { type: "form", selector: "card" } as const
const DISPOSITION = "Content-Disposition: form-data"
const INNER = `${DISPOSITION}; name="card"\r\n\r\n${PLAINTEXT}`

type Options = Partial<Pick<FormReaderCase, "selection" | "contentType">>

const urlencoded = (readers: string, what: string, body: string, options: Options = {}): FormReaderCase => ({
  readers: readers.split(", "),
  what,
  selection: CARD,
  contentType: FORM,
  body: body.replaceAll("@", PLAINTEXT),
  code: "bad-request",
  ...options,
})
const multipart = (readers: string, what: string, body: string, options: Options = {}): FormReaderCase => ({
  ...urlencoded(readers, what, body, { contentType: MULTIPART, ...options }),
})
/** Creates a case of one part with these headers. */
const part = (readers: string, what: string, head: string, options: Options = {}): FormReaderCase =>
  multipart(readers, what, `--B\r\n${head}\r\n\r\n@\r\n--B--\r\n`, options)
const named = (readers: string, what: string, name: string, options: Options = {}): FormReaderCase =>
  part(readers, what, `${DISPOSITION}; name="${name}"`, options)
const encodedField = (readers: string, encoding: string, content: string): FormReaderCase =>
  multipart(
    readers,
    `a field in ${encoding}`,
    `--B\r\n${DISPOSITION}; name="card"\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${content}\r\n--B--\r\n`,
  )
/**
 * Creates a case of a Content-Type in which some parsers find another boundary, whose parts are in a field for the
 * relay.
 */
const typed = (readers: string, what: string, contentType: string): FormReaderCase => ({
  ...multipart(
    readers,
    what,
    `--B\r\n${DISPOSITION}; name="a"\r\n\r\n\r\n--A\r\n${INNER}\r\n--A--\r\n\r\n--B--\r\n`,
    { contentType },
  ),
  code: "invalid-content-type",
})

export const FORM_READER_CASES: readonly FormReaderCase[] = [
  urlencoded("qs", "brackets around the name", "[card]=@"),
  urlencoded("qs", "brackets that are encoded", "%5Bcard%5D=@"),
  urlencoded("qs, PHP, Rack, Spring", "empty brackets", "card[]=@"),
  urlencoded("qs, PHP", "a position", "card[0]=@"),
  urlencoded("qs, PHP, Rack", "a member", "card[x]=@"),
  urlencoded("qs", "a name that ends at ]=", "card[=x]=@"),
  urlencoded("qs", "another position", "items[7][card]=@", {
    selection: { type: "form", selector: "items[0][card]" },
  }),
  urlencoded("qs, Express", "a byte order mark", "\xef\xbb\xbfcard=@"),
  urlencoded("URLSearchParams", "a question mark", "?card=@"),
  urlencoded("PHP", "a NUL in the name", "card%00x=@"),
  urlencoded("PHP", "a blank before the name", "+card=@"),
  ...["card.number", "card+number", "card[number"].map((name) =>
    urlencoded("PHP", `${name} for card_number`, `${name}=@`, {
      selection: { type: "form", selector: "card_number" },
    }),
  ),
  urlencoded("Rack", "a bracket before the name", "[card=@"),
  urlencoded("Rack", "a bracket behind the name", "card]=@"),
  urlencoded("Spring", "the mark of a default", "!card=@"),
  urlencoded("Spring, ASP.NET", "a capital letter", "Card=@"),
  urlencoded("ASP.NET", "capital letters", "CARD=@"),
  ...["card.number", "card['number']"].map((name) =>
    urlencoded("Spring", `${name} for card[number]`, `${name}=@`, {
      selection: { type: "form", selector: "card[number]" },
    }),
  ),
  urlencoded("Python before 3.10, Rack before 3", "a semicolon", "a=1;card=@"),
  urlencoded("Python before 3.10, Rack before 3", "a semicolon in a name", "a;%63ard=@"),
  {
    ...urlencoded("formidable", "a parameter that says JSON", '{"card":"@"}', {
      contentType: `${FORM}; a=json`,
    }),
    code: "invalid-content-type",
  },
  {
    ...urlencoded("formidable", "a parameter that says urlencoded", "card=@", {
      contentType: "text/plain; a=urlencoded",
    }),
    code: "invalid-content-type",
  },

  typed("Go, Django, Flask", "a boundary in pieces", "multipart/form-data; boundary=B; boundary*0=A"),
  typed("Go, Django, Flask", "an extended boundary", "multipart/form-data; boundary=B; boundary*=utf-8''A"),
  typed(
    "PHP, formidable",
    "another parameter that ends like one",
    "multipart/form-data; xboundary=A; boundary=B",
  ),
  typed("PHP, formidable", "a boundary within quotes", 'multipart/form-data; x="boundary=A;"; boundary=B'),
  typed("PHP", "an escape in the boundary", 'multipart/form-data; boundary="\\B"'),
  ...["mixed", "related", "alternative", "x-unknown"].map((subtype) => ({
    ...part("formidable, Spring, email, cgi", `multipart/${subtype}`, `${DISPOSITION}; name="card"`, {
      contentType: `multipart/${subtype}; boundary=B`,
    }),
    code: "invalid-content-type" as const,
  })),
  {
    ...part("formidable", "a type with a parameter that says multipart", `${DISPOSITION}; name="card"`, {
      contentType: "text/plain; x=multipart; boundary=B",
    }),
    code: "invalid-content-type",
  },

  multipart(
    "Django",
    "a boundary within a line",
    `--B\r\n${DISPOSITION}; name="a"\r\n\r\n1--B\r\n${INNER}\r\n--B--\r\n`,
  ),
  multipart(
    "Django",
    "a boundary behind a dash",
    `--B\r\n${DISPOSITION}; name="a"\r\n\r\n\r\n---B\r\n${INNER}\r\n--B--\r\n`,
  ),
  multipart(
    "Django",
    "a part before the first boundary",
    `${INNER}\r\n--B\r\n${DISPOSITION}; name="a"\r\n\r\n1\r\n--B--\r\n`,
  ),
  multipart(
    "Django",
    "a part behind the last boundary",
    `--B\r\n${DISPOSITION}; name="a"\r\n\r\n1\r\n--B--\r\n${INNER}`,
  ),
  multipart(
    "PHP, Django",
    "a boundary behind the last one",
    `--B\r\n${DISPOSITION}; name="a"\r\n\r\n1\r\n--B--\r\n--B\r\n${INNER}\r\n--B--\r\n`,
  ),
  multipart(
    "PHP, Django, Flask, email, cgi",
    "a boundary behind a line feed",
    `--B\r\n${DISPOSITION}; name="a"\r\n\r\n1\n--B\r\n${INNER}\r\n--B--\r\n`,
  ),
  multipart(
    "Django, Flask, email",
    "a boundary behind a carriage return",
    `--B\r\n${DISPOSITION}; name="a"\r\n\r\n1\r--B\r\n${INNER}\r\n--B--\r\n`,
  ),
  multipart(
    "Go, Django, Flask, Starlette, email, cgi",
    "a boundary with a blank behind it",
    `--B\r\n${DISPOSITION}; name="a"\r\n\r\n1\r\n--B \r\n${INNER}\r\n--B--\r\n`,
  ),
  multipart("Go, Flask, email, cgi", "line feeds only", `--B\n${DISPOSITION}; name="card"\n\n@\n--B--\n`),

  named("Tomcat (Spring), Django", "a blank before the name", " card"),
  named("Tomcat (Spring), Django", "a blank behind the name", "card "),
  named("Tomcat (Spring), email", "an encoded word", "=?utf-8?q?card?="),
  named("multer, PHP, Spring", "empty brackets", "card[]"),
  named("multer, PHP", "a member", "card[x]"),
  named("ASP.NET", "capital letters", "CARD"),
  part("formidable", "a name within another parameter", `${DISPOSITION}; x="name=card"; name="a"`),
  part("Rack", "a name within another parameter, behind it", `${DISPOSITION}; name="a"; x="; name=card"`),
  part(
    "Rack",
    "a disposition within another header",
    `X-A: ${DISPOSITION}; name="card"\r\n${DISPOSITION}; name="a"`,
  ),
  part(
    "formidable, Go, email, cgi",
    "a filename, and no Content-Type",
    `${DISPOSITION}; name="card"; filename="a"`,
  ),
  part("multer, Django, Go, email, cgi", "an empty filename", `${DISPOSITION}; name="card"; filename=""`),
  part(
    "fetch, email, cgi, Starlette",
    "a file in the place of a field",
    `${DISPOSITION}; name="card"; filename="a"\r\nContent-Type: a/b`,
  ),
  part(
    "formidable",
    "a Content-Type, and no filename",
    `${DISPOSITION}; name="card"\r\nContent-Type: text/plain`,
    { selection: { type: "file", selector: "card" } },
  ),
  part(
    "formidable",
    "bytes without a filename",
    `${DISPOSITION}; name="card"\r\nContent-Type: application/octet-stream`,
    { selection: { type: "file", selector: "card" } },
  ),
  part(
    "PHP",
    "empty brackets behind a file's name",
    `${DISPOSITION}; name="card[]"; filename="a"\r\nContent-Type: a/b`,
    { selection: { type: "file", selector: "card" } },
  ),
  encodedField("Go, email", "quoted-printable", PLAINTEXT.replace("p", "=70")),
  encodedField("Django, email", "base64", btoa(PLAINTEXT)),
]
