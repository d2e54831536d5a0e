import assert from "node:assert/strict"
import * as z from "zod"
import type { Answer, DeployedService } from "./service.ts"

/** A number of the sandbox whose issuer takes a fingerprint and requires a challenge, and the code that it accepts. */
const CHALLENGED_CARD = "4000000000003030"
const CODE = "123456"

const SESSION = {
  merchant: { name: "Shop", website: "https://shop.example.com", categoryCode: "5411", country: "ie" },
  card: { number: CHALLENGED_CARD, expiry: { month: "09", year: "39" } },
  payment: { type: "one-off", amount: 1_099, currency: "eur" },
}
const BROWSER_STEP = {
  frame: { width: 500, height: 600 },
  browser: {
    javaEnabled: false,
    javaScriptEnabled: true,
    language: "en-GB",
    colorDepth: 24,
    screenHeight: 1_080,
    screenWidth: 1_920,
    timeZone: -60,
  },
}

const sessionSchema = z.looseObject({ id: z.string(), status: z.string() })
const stepSchema = z.object({
  nextAction: z.object({
    type: z.string(),
    url: z.url(),
    data: z.string().default(""),
    creq: z.string().default(""),
  }),
})

/**
 * Takes a browser through a 3-D Secure session in the sandbox: the method page of the issuer and its return, the challenge
 * and its return.
 */
export async function checkThreeDSecure({ appId, url, call }: DeployedService): Promise<void> {
  const created = await call("POST", "/payments/3ds-sessions", SESSION)
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { id } = sessionSchema.parse(created.body)
  const step = async (body: object) => {
    const headers = { "x-service-app-id": appId }
    const { status, body: answer } = await call(
      "PATCH",
      `/frontend/3ds/browser-sessions/${id}`,
      body,
      headers,
    )
    assert.equal(status, 200, JSON.stringify(answer))
    return stepSchema.parse(answer).nextAction
  }
  /** Submits a form, as a browser does. The emulator's address is not the one that the service knows. */
  const submit = async (action: string, fields: Readonly<Record<string, string>>) => {
    const answer = await fetch(url + new URL(action, url).pathname, {
      method: "POST",
      body: new URLSearchParams(fields),
    })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return text
  }

  const method = await step(BROWSER_STEP)
  assert.equal(method.type, "browser-fingerprint")
  const taken = formOf(await submit(method.url, { threeDSMethodData: method.data }))
  await submit(taken.action, taken.fields)
  const challenge = await step({ browserFingerprint: "complete" })
  assert.equal(challenge.type, "challenge")
  const page = formOf(await submit(challenge.url, { creq: challenge.creq }))
  const done = formOf(await submit(new URL(page.action, challenge.url).href, { action: "code", code: CODE }))
  await submit(done.action, done.fields)
  const { body }: Answer = await call("GET", `/payments/3ds-sessions/${id}`)
  assert.equal(sessionSchema.parse(body).status, "success", JSON.stringify(body))
}

/** Returns the action of a page's first form, and its hidden fields. */
function formOf(page: string) {
  const plain = (value = "") => value.replaceAll("&amp;", "&").replaceAll("&quot;", '"')
  const action = plain(/<form [^>]*action="([^"]*)"/.exec(page)?.[1])
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return { action, fields: Object.fromEntries(hidden.map(([, name = "", value]) => [name, plain(value)])) }
}
