import { describe, expect, test } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type Answer, useService } from "../support/service.ts"

const service = useService()

const SESSION = {
  merchant: {
    name: "A <b>shop</b>",
    website: "https://shop.example.com",
    categoryCode: "5411",
    country: "IE",
  },
  payment: { type: "one-off", amount: 1_099, currency: "EUR" },
}
const BROWSER = {
  javaEnabled: false,
  javaScriptEnabled: true,
  language: "en-GB",
  colorDepth: 24,
  screenHeight: 1_080,
  screenWidth: 1_920,
  timeZone: -60,
}
const stepSchema = z.object({
  status: z.string(),
  nextAction: z.looseObject({ type: z.string(), url: z.url() }).optional(),
})

/** Submits a form, as a browser does. */
async function submit(url: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
  const { pathname } = new URL(url, service.url)
  const contentType = "application/x-www-form-urlencoded"
  return service.post(pathname, String(new URLSearchParams(fields)), { auth: null, contentType })
}

/** Returns the action of a page's first form, and its hidden fields. */
function formOf({ text }: Answer) {
  const plain = (value = "") => value.replaceAll("&amp;", "&").replaceAll("&quot;", '"')
  const action = plain(/<form [^>]*action="([^"]*)"/.exec(text)?.[1])
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return { action, fields: Object.fromEntries(hidden.map(([, name = "", value]) => [name, plain(value)])) }
}

/** Creates a session whose card requires a challenge, up to the page of the challenge. */
async function challenged(number = "4000000000003030") {
  const card = { number, expiry: { month: "09", year: "39" } }
  const created = await service.post("/payments/3ds-sessions", { ...SESSION, card })
  expect(created.status, created.text).toBe(201)
  const { id } = z.object({ id: z.string() }).parse(created.json)
  const step = async (body: object) => {
    const headers = { "x-service-app-id": service.sandbox.app.id }
    const answer = await service.patch(`/frontend/3ds/browser-sessions/${id}`, body, { auth: null, headers })
    expect(answer.status, answer.text).toBe(200)
    return stepSchema.parse(answer.json).nextAction ?? { type: "none", url: service.url }
  }
  const fingerprint = await step({ frame: { width: 500, height: 600 }, browser: BROWSER })
  const next = fingerprint.type === "challenge" ? fingerprint : await step({ browserFingerprint: "complete" })
  return { id, fingerprint, next, creq: String(next.creq) }
}

const show = async (id: string) => (await service.get(`/payments/3ds-sessions/${id}`)).json

describe("the issuer's pages of the sandbox", () => {
  test("take a browser through a challenge to a session that succeeds", async () => {
    const { id, fingerprint, next, creq } = await challenged()
    const taken = await submit(fingerprint.url, { threeDSMethodData: String(fingerprint.data) })
    expect(taken.status, taken.text).toBe(200)
    expect(formOf(taken).action).toMatch(`${service.url}/`)

    const page = await submit(next.url, { creq, threeDSSessionData: "b3du" })
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(page.text).toContain("Card ending 3030: pay 10.99 EUR at A &lt;b&gt;shop&lt;/b&gt;.")
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; .*frame-ancestors 'self'$/,
    )
    const { action } = formOf(page)

    const wrong = await submit(action, { action: "code", code: "000000" })
    expect(wrong.text).toContain("The code is wrong")
    const done = await submit(action, { action: "code", code: "123456", threeDSSessionData: "b3du" })
    expect(await show(id)).toMatchObject({
      status: "success",
      authentication: { flow: "challenge" },
      eci: { value: "05" },
      rreq: { transStatus: { value: "Y" } },
    })
    const back = formOf(done)
    expect(back.fields).toMatchObject({ threeDSSessionData: "b3du", cres: expect.any(String) })
    expect((await submit(back.action, back.fields)).status).toBe(200)
  })

  test.each([
    ["fail", "failed-authentication"],
    ["cancel", "cancelled"],
  ])("end a session by their button %s as %s", async (button, failureReason) => {
    const { id, next, creq } = await challenged("5200000000003035")
    const { action } = formOf(await submit(next.url, { creq }))
    await submit(action, { action: button })
    expect(await show(id)).toMatchObject({ status: "failure", version: "2.3.1", failureReason })
  })

  test("end a session whose CReq is another transaction's, and send an Erro back", async () => {
    const [one, other] = [await challenged(), await challenged()]
    const { fields } = formOf(await submit(one.next.url, { creq: other.creq }))
    expect(JSON.parse(Buffer.from(fields.cres ?? "", "base64url").toString())).toMatchObject({
      messageType: "Erro",
      errorCode: "301",
      errorComponent: "A",
    })
    expect(await show(one.id)).toMatchObject({ status: "failure" })
    expect(await show(other.id)).toMatchObject({ status: "action-required" })
  })

  test("answer not-found for challenges and apps that do not exist, and for production apps", async () => {
    const { next, creq, fingerprint } = await challenged()
    const elsewhere = `${next.url.slice(0, -4)}AAAA`
    expectProblem(await submit(elsewhere, { creq }), "not-found")
    expectProblem(await submit(`${elsewhere}/answers`, { action: "succeed" }), "not-found")
    const data = { threeDSMethodData: String(fingerprint.data) }
    for (const app of [service.production.app.id, "app_1", "a".repeat(64)]) {
      expectProblem(await submit(`/sandbox/3ds/methods/${app}`, data), "not-found")
    }
  })

  test("refuse forms that no page of ours sends", async () => {
    const { next, fingerprint } = await challenged()
    expectProblem(await submit(next.url, {}), "invalid-request")
    expectProblem(
      await submit(next.url, { creq: "a", threeDSSessionData: "x".repeat(1_025) }),
      "invalid-request",
    )
    expectProblem(await submit(`${next.url}/answers`, { action: "other" }), "invalid-request")
    expectProblem(
      await submit(`${next.url}/answers`, { action: "code", code: "12345678901" }),
      "invalid-request",
    )
    expectProblem(await submit(next.url, { creq: "x".repeat(128 * 1_024) }), "payload-too-large")
    expectProblem(await submit(fingerprint.url, { threeDSMethodData: "e30" }), "invalid-request")
    const json = await service.post(new URL(next.url).pathname, { creq: "a" }, { auth: null })
    expectProblem(json, "unsupported-media-type")
  })
})
