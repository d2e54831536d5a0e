import { createTurns, type Turns } from "@sealway/kernel"
import { describe, expect, test } from "vitest"
import type { SelectionType } from "../operations/selection.ts"
import { compileRelay } from "../routes/compile-relay.ts"
import { matchRoutes } from "../routes/match-routes.ts"
import { MESSAGE_LIMITS } from "./message-limits.ts"
import { MessageReport } from "./message-report.ts"
import { action, sendMessage } from "./testing/send-message.ts"
import { createTestCiphers } from "./testing/test-cipher.ts"
import { transformMessage } from "./transform-message.ts"

const JSON_TYPE = "application/json"
const XML_TYPE = "application/xml"
const FORM_TYPE = "application/x-www-form-urlencoded"
const MULTIPART_TYPE = "multipart/form-data; boundary=boundary"
const ciphers = createTestCiphers()

/** Creates turns that are taken at every step, and counted. */
function countTurns() {
  let nowMs = 0
  let taken = 0
  const defer = (task: () => void) => {
    taken++
    queueMicrotask(task)
  }
  return { turns: createTurns({ now: () => nowMs++, defer, sliceMs: 0 }), taken: () => taken }
}

interface LargeBody {
  readonly type: SelectionType
  readonly selector: string
  readonly contentType: string
  readonly text: string
  readonly turns: TurnCounts
}

/** The minimum number of turns for encrypting and decrypting a body. Fewer if any place to yield were missing. */
type TurnCounts = readonly [encrypting: number, decrypting: number]

const json = (selector: string, text: string, ...turns: TurnCounts): LargeBody => ({
  type: "json",
  contentType: JSON_TYPE,
  selector,
  text,
  turns,
})
const xml = (selector: string, text: string, ...turns: TurnCounts): LargeBody => ({
  type: "xml",
  contentType: XML_TYPE,
  selector,
  text,
  turns,
})
const form = (text: string, ...turns: TurnCounts): LargeBody => ({
  type: "form",
  contentType: FORM_TYPE,
  selector: "a",
  text,
  turns,
})
const multipart = (text: string, ...turns: TurnCounts): LargeBody => ({
  type: "form",
  contentType: MULTIPART_TYPE,
  selector: "a",
  text,
  turns,
})
const attributes = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}a${index}="1"`).join(" ")
const part = (name: string, content: string, headers = "") =>
  `--boundary\r\nContent-Disposition: form-data; name="${name}"${headers}\r\n\r\n${content}\r\n`

const BODIES: Readonly<Record<string, LargeBody>> = {
  "a JSON list of 4,000 strings": json("$[*]", `[${'"a",'.repeat(3_999)}"a"]`, 144, 168),
  "a JSON list of 4,000 strings that are selected out of order": json(
    "$[1::1,0]",
    `[${'"a",'.repeat(3_999)}"a"]`,
    145,
    169,
  ),
  "a JSON list of 100,000 strings that are not selected": json(
    "$.a",
    `["ev:",${'"a234567890123",'.repeat(99_999)}"a"]`,
    899,
    510,
  ),
  "a JSON list of 100,000 numbers that a filter looks at": json(
    "$[?@ == 1]",
    `[${"7,".repeat(99_999)}7]`,
    473,
    473,
  ),
  "a JSON list whose elements a filter counts for each": json(
    "$[?count($[*]) == 1]",
    `[${"7,".repeat(99_999)}7]`,
    498,
    498,
  ),
  "a JSON list of 100,000 whose last is selected": json("$[-1]", `[${"7,".repeat(99_999)}7]`, 449, 450),
  "two JSON lists of 100,000 that a filter compares": json(
    "$[?@.a == @.b].c",
    `[{"a":[${"7,".repeat(99_999)}7],"b":[${"7,".repeat(99_999)}7],"c":1}]`,
    874,
    875,
  ),
  "a JSON object of 100,000 names": json("$.a", `{${'"b":1,'.repeat(99_999)}"b":1}`, 473, 473),
  "a JSON object of 100,000 names like the one that is encrypted": json(
    "$.a",
    `{${'"-":1,'.repeat(99_999)}"b":1}`,
    522,
    473,
  ),
  "a JSON object of 100,000 names where a position is encrypted": json(
    "$[7]",
    `{${'"b":1,'.repeat(99_999)}"b":1}`,
    473,
    449,
  ),
  "a JSON list of 100,000 where a name like a position is encrypted": json(
    "$['100000']",
    `[${"7,".repeat(99_999)}7]`,
    449,
    425,
  ),
  "a JSON list of 100,000 empty prototypes": json(
    "$.a",
    `[${'{"__proto__":1},'.repeat(99_999)}{}]`,
    607,
    534,
  ),
  "JSON lists of depth 250": json(
    "$..a",
    `[${`${"[".repeat(250)}${"]".repeat(250)},`.repeat(400)}1]`,
    60,
    60,
  ),
  "a JSON text of numbers like those of cards": json(
    "$.a",
    JSON.stringify({ b: "4242 4242 4242 424 ".repeat(20_000) }),
    92,
    92,
  ),
  "a JSON text of what is like tokens": json("$.a", JSON.stringify({ b: "ev:AAAA:".repeat(20_000) }), 78, 39),
  "a JSON text of 1 MB of escapes": json("$.a", `{"a":"${'\\"\\n'.repeat(250_000)}"}`, 38, 30),
  "an XML section of 1 MB": xml("$.r", `<r><![CDATA[${"a&".repeat(500_000)}]]></r>`, 25, 25),
  "an XML tag of 4,000 attributes": xml("$.r.*", `<r ${attributes(4_000, "")}/>`, 151, 155),
  "an XML tag of 4,000 attributes with a prefix": xml(
    "$.r.*",
    `<r xmlns:p="p" ${attributes(4_000, "p:")}/>`,
    159,
    163,
  ),
  "4,000 XML elements": xml("$..*", `<r>${"<e>1</e>".repeat(4_000)}</r>`, 152, 202),
  "an XML text of 100,000 references": xml("$.r", `<r>${"&amp;".repeat(100_000)}</r>`, 70, 23),
  "a form of 4,000 fields": form("a=1&".repeat(4_000), 204, 205),
  "a form of 9,999 fields that are not selected": form("b=1&".repeat(9_999), 229, 191),
  "a form of a field in 9,000 pieces": form(`b=${"1;".repeat(9_000)}1`, 142, 4),
  "a form of a field of 1 MB": form(`a=${"%26".repeat(350_000)}`, 12, 11),
  "a multipart body of 900 fields": multipart(
    `${part("a", "1".repeat(500)).repeat(900)}--boundary--\r\n`,
    38,
    43,
  ),
  "a multipart body of a field of 1 MB": multipart(
    `${part("b", "4242 ".repeat(200_000))}--boundary--\r\n`,
    18,
    17,
  ),
  "a multipart body of a file of 1 MB": {
    ...multipart(`${part("a", "1".repeat(1_000_000), '; filename="f"')}--boundary--\r\n`, 32, 32),
    type: "file",
  },
}

async function send(kind: "encrypt" | "decrypt", { type, selector, contentType }: LargeBody, body: Buffer) {
  const { turns, taken } = countTurns()
  const options = {
    actions: [action(kind, type, selector)],
    leakWatch: "alert",
    body,
    contentType,
    turns,
  } as const
  const { bytes, error } = await sendMessage(ciphers.cipher(), options)
  expect(error).toBeNull()
  return { bytes: bytes ?? Buffer.alloc(0), taken: taken() }
}

describe("large bodies", () => {
  test.each(Object.entries(BODIES))("yield to others and survive a round trip: %s", async (_name, large) => {
    const body = Buffer.from(large.text)
    const sent = await send("encrypt", large, body)
    const [encrypting, decrypting] = large.turns
    expect(sent.taken).toBeGreaterThanOrEqual(encrypting)
    const back = await send("decrypt", large, sent.bytes)
    expect(back.bytes.toString()).toBe(large.text)
    expect(back.taken).toBeGreaterThanOrEqual(decrypting)
  })

  test.each([
    [JSON_TYPE, `{${'"b":1,'.repeat(19_999)}"b":1}`, 326],
    [FORM_TYPE, "b=1&".repeat(9_999), 306],
  ])(
    "yield to others while they are searched for another method: %s",
    async (contentType, body, leastTurns) => {
      const { turns, taken } = countTurns()
      const message = { actions: [], contentType, body, otherMethod: "PUT", turns }
      expect((await sendMessage(ciphers.cipher(), message)).error).toBeNull()
      expect(taken()).toBeGreaterThanOrEqual(leastTurns)
    },
  )

  test("changes a body with few values immediately, without a promise", () => {
    const { turns, taken } = countTurns()
    const body = Buffer.from(JSON.stringify({ name: "Ada", notes: "x".repeat(1_000) }))
    expect(transformAtOnce(body, turns)).not.toBeInstanceOf(Promise)
    expect(taken()).toBe(0)
  })
})

function transformAtOnce(body: Buffer, turns: Turns) {
  const actions = [action("encrypt", "json", "$.name")]
  const compiled = compileRelay({
    routes: [{ method: null, path: "/**", request: actions, response: [] }],
    encryptEmptyStrings: true,
    leakWatch: "alert",
    caseSensitiveNames: false,
    unknownContentTypes: "refuse",
    unencryptableErrors: "refuse",
    unmatched: "refuse",
    passContentTypes: [],
  })
  const rawHeaders = ["Content-Type", JSON_TYPE]
  const operations = matchRoutes(compiled, { method: "POST", target: "/", rawHeaders }).request
  const report = new MessageReport(operations)
  const message = {
    direction: "request",
    method: "POST",
    target: "/",
    status: null,
    rawHeaders,
    body,
    contentLength: body.length,
  } as const
  const options = { compiled, cipher: ciphers.cipher(), limits: MESSAGE_LIMITS, report, turns }
  return transformMessage(message, operations, options)
}
