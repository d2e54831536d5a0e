import {
  action,
  createTestCiphers,
  FORM_READER_CASES,
  PLAINTEXT,
  sendMessage,
} from "@sealway/relay-engine/testing"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { FIELD, hostileForm } from "./form-readers/hostile-forms.ts"
import { NODE_READERS, type SentForm } from "./form-readers/node-readers.ts"
import { readWithPython } from "./form-readers/python-readers.ts"
import { askReaders, type ReaderTask } from "./readers/ask-readers.ts"

/** Others run too where they are installed, in any version: they must not see plaintext in what is passed on. */
const OWN_READERS = ["Python", "email", "cgi"]

/** Long: Node's `fetch` fails on content that contains the boundary without its dashes. */
const BOUNDARY = "----FormBoundary7MA4YWxkTrZu0gW"

/** Programs of other languages are compiled first. */
const SLOW_START = { timeout: 120_000 }

const cipher = createTestCiphers().cipher()

/** Returns what the destination gets; null when the form is refused. */
async function sealed({ contentType, body }: SentForm): Promise<SentForm | null> {
  const actions = [action("encrypt", "form", FIELD)]
  const { error, bytes } = await sendMessage(cipher, { actions, contentType, body })
  if (error !== null) return null
  return { contentType, body: bytes ?? body }
}

const CASES = FORM_READER_CASES.map(({ selection, contentType, body, readers, what }) => ({
  readers,
  what,
  name: selection.selector,
  form: { contentType, body: Buffer.from(body, "latin1") },
}))

describe("a refused form", () => {
  const asked = CASES.flatMap((each) =>
    each.readers.flatMap((reader) => {
      const read = NODE_READERS.get(reader)
      return read === undefined ? [] : [{ ...each, reader, read }]
    }),
  )
  test.each(asked)("would have given plaintext to $reader: $what", async ({ read, form, name }) => {
    expect(await read(form, name)).toContain(PLAINTEXT)
  })

  test.for([
    ["go", "Go", /^/],
    ["ruby", "Rack", /^/],
    ["php", "PHP", /urlencoded/],
  ] as const)(
    "would have given plaintext to parsers of %s: %s",
    SLOW_START,
    ([language, reader, types], context) => {
      const asked = CASES.filter(
        ({ readers, form }) => readers.includes(reader) && types.test(form.contentType),
      )
      const tasks = asked.map(({ form, name }): ReaderTask => ["form", form.body, name, form.contentType])
      const answers = askReaders(language, tasks)
      if (answers === null) return context.skip(`${reader} is not installed`)
      for (const [index, { what }] of asked.entries()) {
        expect(`${reader}, ${what}: ${answers[index]}`).toContain(PLAINTEXT)
      }
    },
  )

  test("would have given plaintext to Python's own parsers", (context) => {
    const answers = readWithPython(CASES)
    if (answers === null) return context.skip("Python 3 is not installed")
    for (const [index, { readers, what }] of CASES.entries()) {
      for (const reader of readers.filter((each) => OWN_READERS.includes(each))) {
        // `cgi` is gone since Python 3.13.
        const answer = answers[index]?.[reader] ?? PLAINTEXT
        expect(`${reader}, ${what}: ${answer}`).toContain(PLAINTEXT)
      }
    }
  })
})

describe("a form that is passed on", () => {
  test("gives a token or nothing to every parser, whatever was sent", async () => {
    let passed = 0
    await fc.assert(
      fc.asyncProperty(hostileForm, async (form) => {
        const sent = await sealed(form)
        if (sent === null) return
        passed++
        for (const [reader, read] of NODE_READERS) {
          expect({ reader, answer: await read(sent, FIELD) }).not.toMatchObject({
            answer: expect.stringContaining(PLAINTEXT),
          })
        }
      }),
      { numRuns: 1_000 },
    )
    expect(passed).toBeGreaterThan(50)
  })

  test.for([
    ["go", "Go", /^/],
    ["ruby", "Rack", /^/],
    ["php", "PHP", /urlencoded/],
  ] as const)(
    "gives a token or nothing to parsers of %s, whatever was sent: %s",
    SLOW_START,
    async ([language, reader, types], context) => {
      const forms = fc.sample(hostileForm, 2_000)
      const sent = (await Promise.all(forms.map(sealed))).filter((form) => form !== null)
      const asked = sent.filter(({ contentType }) => types.test(contentType))
      const answers = askReaders(
        language,
        asked.map(({ contentType, body }): ReaderTask => ["form", body, FIELD, contentType]),
      )
      if (answers === null) return context.skip(`${reader} is not installed`)
      const seen = asked.filter((_, index) => answers[index]?.includes(PLAINTEXT))
      expect(seen.map(({ body }) => body.toString("latin1"))).toEqual([])
    },
  )

  test("gives a token or nothing to Python's parsers, whatever was sent", async (context) => {
    const forms = fc.sample(hostileForm, 2_000)
    const sent = (await Promise.all(forms.map(sealed))).filter((form) => form !== null)
    const answers = readWithPython(sent.map((form) => ({ form, name: FIELD })))
    if (answers === null) return context.skip("Python 3 is not installed")
    for (const [index, answer] of answers.entries()) {
      const readers = Object.keys(answer).filter((reader) => answer[reader]?.includes(PLAINTEXT))
      expect({ readers, form: sent[index]?.body.toString("latin1") }).toMatchObject({ readers: [] })
    }
  })

  test("gives the token to the parsers of its kind", async () => {
    const urlencoded = {
      contentType: "application/x-www-form-urlencoded",
      body: Buffer.from(`a=1&card=${PLAINTEXT}`),
    }
    const body = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="card"\r\n\r\n${PLAINTEXT}\r\n--${BOUNDARY}--\r\n`
    const multipart = { contentType: `multipart/form-data; boundary=${BOUNDARY}`, body: Buffer.from(body) }
    const readers = {
      "Express qs formidable fetch URLSearchParams": urlencoded,
      "multer formidable fetch": multipart,
    }
    for (const [names, form] of Object.entries(readers)) {
      const sent = await sealed(form)
      for (const name of names.split(" ")) {
        expect(await NODE_READERS.get(name)?.(sent ?? form, FIELD)).toMatch(/"ev:[^"]+:\$"/)
      }
    }
  })
})
