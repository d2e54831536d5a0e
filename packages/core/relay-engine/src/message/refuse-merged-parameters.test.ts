import { describe, expect, test } from "vitest"
import type { SelectionType } from "../operations/selection.ts"
import { action, sendMessage, type TestMessage } from "./testing/send-message.ts"
import { createTestCiphers } from "./testing/test-cipher.ts"

const cipher = createTestCiphers().cipher()
const send = (message: TestMessage) => sendMessage(cipher, message)
const sent = (type: SelectionType, selector: string, query: string, more: Partial<TestMessage> = {}) =>
  send({ actions: [action("encrypt", type, selector)], target: `/?${query}`, ...more })

describe("a query parameter that a framework merges with an encrypted value of the body", () => {
  test.each<[string, SelectionType, string, string]>([
    ["Rails, Laravel", "json", "$.card", "card=4242"],
    ["Rails, Laravel", "json", "$.card", "a=1&card[number]=4242"],
    ["Rails, Laravel", "json", "$.card.number", "card%5Bnumber%5D=4242"],
    ["Rails, Laravel", "json", "$.cards[*].number", "cards[][number]=4242"],
    ["Rails, Laravel", "json", "$.cards[0].number", "cards[0][number]=4242"],
    ["Rails, Laravel", "json", "$.cards.*.number", "cards[visa][number]=4242"],
    ["Rails, Laravel", "json", "$.list[?@.type == 'card'].number", "list[][number]=4242"],
    ["Rails, Laravel", "json", "$..number", "card[number]=4242"],
    ["Rails, Laravel", "json", "$['pan','card']", "card=4242"],
    ["Rails, Laravel", "xml", "$.order.card.number", "order[card][number]=4242"],
    ["Rails, Laravel", "xml", "$.order.card.number", "card[number]=4242"],
    ["Rails, Laravel", "xml", "$.order['@id']", "order[id]=4242"],
    ["Rails, Laravel", "xml", "$['s:Envelope']['s:Body'].card['#text']", "Envelope[Body][card]=4242"],
    ["Rails, Spring, PHP with $_REQUEST", "form", "card", "card=4242"],
    ["Rails, PHP with $_REQUEST", "form", "card[number]", "card[number]=4242"],
    ["Spring, ASP.NET", "json", "$.card.number", "card.number=4242"],
    ["ASP.NET", "json", "$.card", "order.Card=4242"],
    ["ASP.NET", "json", "$.card.number", "order.Card.Number=4242"],
    ["ASP.NET", "query", "card", "order.card=4242"],
    ["PHP", "json", "$.card", "%20card=4242"],
    ["PHP", "json", "$.card", "card%00x=4242"],
    ["older Rack and Python", "json", "$.card", "a=1;card=4242"],
    ["GraphQL servers", "json", "$.variables.card.number", "variables=4242"],
    ["GraphQL servers", "json", "$.variables.card.number", "query=4242"],
    ["qs (Express)", "json", "$.card", "card[4242"],
  ])("is refused with bad-request for %s: %s %s, ?%s", async (_, type, selector, query) => {
    const { error } = await sent(type, selector, query)
    expect(error?.code).toBe("bad-request")
    expect(error?.message).toContain(`\`${selector}\``)
    expect(error?.message).not.toContain("4242")
    const decrypts = { actions: [action("decrypt", type, selector)] }
    expect((await sent(type, selector, query, decrypts)).error).toBeNull()
    expect(
      (await sent(type, selector, query, { direction: type === "query" ? "request" : "response" })).error ===
        null,
    ).toBe(type !== "query")
  })

  test.each<[SelectionType, string, string]>([
    ["json", "$.card.number", "card=4242"],
    ["json", "$.card.number", "number=1&card[name]=2&cards[number]=3"],
    ["json", "$..*", "a=1&b[c]=2"],
    ["json", "$.*", "a=1"],
    ["xml", "$.order.card.number", "order[number]=1&card=2"],
    ["form", "card[number]", "card=1&number=2"],
    ["header", "X-Card", "X-Card=1"],
  ])("passes if it has another name: %s %s, ?%s", async (type, selector, query) => {
    const { error, target } = await sent(type, selector, query)
    expect([error, target]).toEqual([null, `/?${query}`])
  })

  test("is encrypted where it is selected", async () => {
    const actions = [action("encrypt", "json", "$.card.number"), action("encrypt", "query", "card[number]")]
    const { error, target } = await send({ actions, target: "/?card[number]=4242" })
    expect(error).toBeNull()
    expect(target).toMatch(/^\/\?card\[number\]=ev%3A/)
    const opened = [action("encrypt", "json", "$.card"), action("decrypt", "query", "card")]
    expect((await send({ actions: opened, target: "/?card=4242" })).error?.code).toBe("bad-request")
  })

  test("passes in another letter case if names are case-sensitive", async () => {
    const sensitive = { caseSensitiveNames: true }
    expect((await sent("json", "$.card.number", "Card[number]=1", sensitive)).error).toBeNull()
    expect((await sent("json", "$.card.number", "card[number]=1", sensitive)).error?.code).toBe("bad-request")
  })

  test("is refused with payload-too-large among more than 10,000", async () => {
    const query = (count: number) => "a;".repeat(count - 1)
    expect((await sent("json", "$.card", query(10_000))).error).toBeNull()
    expect((await sent("json", "$.card", query(10_001))).error?.code).toBe("payload-too-large")
  })

  test("is refused with payload-too-large rather than compared with the selections for long", async () => {
    const actions = Array.from({ length: 200 }, (_, index) => action("encrypt", "json", `$.a${index}..x`))
    const query = (count: number) => `/?${`${"x.".repeat(60)}=&`.repeat(count)}`
    expect((await send({ actions, target: query(2) })).error).toBeNull()
    expect((await send({ actions, target: query(250) })).error?.code).toBe("payload-too-large")
  })
})

describe("a field of a body that a framework merges with an encrypted parameter of the query", () => {
  const FORM = "application/x-www-form-urlencoded"
  const JSON_TYPE = "application/json"
  const encrypted = [action("encrypt", "query", "card")]
  const part = (name: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n4242\r\n--b--\r\n`

  test.each([
    ["Servlets, PHP with $_REQUEST, Rack", FORM, "a=1&card=4242"],
    ["Laravel", FORM, "card[number]=4242"],
    ["Spring", "multipart/form-data; boundary=b", part("card")],
    ["Rails, Laravel", JSON_TYPE, '{"card":"4242"}'],
    ["ASP.NET", JSON_TYPE, '{"Card":{"number":4242}}'],
  ])("is refused with bad-request for %s: %s %s", async (_, contentType, body) => {
    const { error } = await send({ actions: encrypted, contentType, body })
    expect(error?.code).toBe("bad-request")
    expect(error?.message).toContain("`card`")
    expect(error?.message).not.toContain("4242")
    const decrypts = [action("decrypt", "query", "card")]
    expect((await send({ actions: decrypts, contentType, body })).text).toBe(body)
  })

  test.each([
    ["of a form of another kind", "multipart/mixed; boundary=b", part("card")],
    ["without a type, which Rack reads as a form", undefined, "card=4242"],
  ])("is refused with invalid-content-type in a body %s", async (_, contentType, body) => {
    const message = { actions: encrypted, body, ...(contentType !== undefined && { contentType }) }
    expect((await send(message)).error?.code).toBe("invalid-content-type")
  })

  test.each([
    [FORM, "cards=1&discard=2"],
    [JSON_TYPE, '{"order":{"card":"1"},"cards":[2]}'],
    ["text/plain", "card=1"],
    [JSON_TYPE, ""],
  ])("passes if it is another one: %s %s", async (contentType, body) => {
    const { error, text } = await send({ actions: encrypted, contentType, body })
    expect([error, text]).toEqual([null, body])
  })

  test("is encrypted where it is selected", async () => {
    const form = await send({
      actions: [...encrypted, action("encrypt", "form", "card")],
      contentType: FORM,
      body: "card=4242",
    })
    expect(form.text).toMatch(/^card=ev%3A/)
    const json = await send({
      actions: [...encrypted, action("encrypt", "json", "$.card")],
      contentType: JSON_TYPE,
      body: '{"card":"4242"}',
    })
    expect(json.text).toMatch(/^\{"card":"ev:/)
  })
})
