import { createHmac } from "node:crypto"
import { inspect } from "node:util"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { WebhookSignatureError } from "../errors/errors.ts"
import { type VerifyWebhookOptions, verifyWebhook, type WebhookHeaders } from "./verify-webhook.ts"

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const OTHER = `whsec_${Buffer.alloc(32, 8).toString("base64")}`
const NOW_MS = 1_700_000_000_000
const EVENT = { id: "webhook_event_1", type: "relay.error", data: { message: "marker" } }
const BODY = JSON.stringify(EVENT)

interface Sent {
  readonly id?: string
  readonly timestamp?: string
  readonly body?: string
  readonly secret?: string
}

function sign({ id = EVENT.id, timestamp = String(NOW_MS / 1000), body = BODY, secret = SECRET }: Sent = {}) {
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` }
}
const verify = (
  headers: WebhookHeaders,
  {
    body = BODY,
    secret = SECRET,
    ...options
  }: VerifyWebhookOptions & { body?: string | Uint8Array; secret?: string | readonly string[] } = {},
) => verifyWebhook(body, headers, secret, { now: () => NOW_MS, ...options })
const expectRefused = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(WebhookSignatureError)
  expect(error).toMatchObject({ code: "invalid-signature" })
  expect(inspect(error)).not.toMatch(/marker|whsec_|v1,/)
}

describe("a webhook is accepted", () => {
  test("with the headers of fetch, of Node.js, and in any letter case", async () => {
    const headers = sign()
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    )
    for (const each of [
      headers,
      new Headers(headers),
      upper,
      { ...headers, host: undefined, "set-cookie": ["a", "b"] },
    ]) {
      expect(await verify(each)).toEqual(EVENT)
    }
  })

  test("as bytes, with characters beyond ASCII", async () => {
    const body = JSON.stringify({ ...EVENT, data: "€ 😀" })
    expect(await verify(sign({ body }), { body: new TextEncoder().encode(body) })).toMatchObject({
      data: "€ 😀",
    })
  })

  test("if one of its signatures is by one of the secrets, during a rotation on either side", async () => {
    const [ours, theirs] = [sign()["webhook-signature"], sign({ secret: OTHER })["webhook-signature"]]
    const both = { ...sign(), "webhook-signature": `v1a,xyz ${theirs} ${ours}` }
    expect(await verify(both)).toEqual(EVENT)
    expect(await verify(sign({ secret: OTHER }), { secret: [SECRET, OTHER] })).toEqual(EVENT)
  })

  test.each([-300, 300])("at %d seconds from now, and no further", async (offset) => {
    const signedAt = (seconds: number) => sign({ timestamp: String(NOW_MS / 1000 + seconds) })
    expect(await verify(signedAt(offset))).toEqual(EVENT)
    await expectRefused(verify(signedAt(offset + Math.sign(offset))))
    await expectRefused(verify(signedAt(offset), { toleranceSeconds: 299 }))
  })
})

describe("a webhook is refused", () => {
  test("by another secret, and with another body, id or time than was signed", async () => {
    await expectRefused(verify(sign({ secret: OTHER })))
    await expectRefused(verify(sign(), { body: `${BODY} ` }))
    await expectRefused(verify({ ...sign(), "webhook-id": "webhook_event_2" }))
    await expectRefused(verify({ ...sign(), "webhook-timestamp": String(NOW_MS / 1000 + 1) }))
  })

  test("whichever bit of its signature is wrong", async () => {
    const headers = sign()
    const bytes = Buffer.from(headers["webhook-signature"].slice(3), "base64")
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), async (bit) => {
        const wrong = Buffer.from(bytes)
        wrong[bit >> 3] = (wrong[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        await expectRefused(verify({ ...headers, "webhook-signature": `v1,${wrong.toString("base64")}` }))
      }),
      { numRuns: 40 },
    )
  })

  test.each([
    "",
    "v1,",
    "v1",
    "v2,",
    "v1,AAAA",
    `v1,${"A".repeat(44)}`,
    `v1,${"!".repeat(44)}`,
    "v1,".repeat(5000),
  ])("with the signature %.20j", async (signature) => {
    await expectRefused(verify({ ...sign(), "webhook-signature": signature }))
  })

  test("with a part of a signature", async () => {
    const headers = sign()
    await expectRefused(
      verify({ ...headers, "webhook-signature": headers["webhook-signature"].slice(0, 20) }),
    )
  })

  test("when the right signature is the eleventh", async () => {
    const wrong = `v1,${Buffer.alloc(32).toString("base64")} `.repeat(10)
    await expectRefused(verify({ ...sign(), "webhook-signature": wrong + sign()["webhook-signature"] }))
  })

  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
    "without %s, and with two of it",
    async (name) => {
      const headers: Record<string, string> = sign()
      const value = headers[name] ?? ""
      await expectRefused(verify({ ...headers, [name]: undefined }))
      await expectRefused(verify({ ...headers, [name]: [value, value] }))
      await expectRefused(verify({ ...headers, [name.toUpperCase()]: value }))
    },
  )

  test.each(["", "1e3", "-1", "0x10", "1700000000.0", " 1700000000", "1700000000000000", "NaN"])(
    "at the time %j, even if that is signed",
    async (timestamp) => {
      await expectRefused(verify(sign({ timestamp })))
    },
  )

  test("with a tolerance that is no number", async () => {
    await expectRefused(verify(sign(), { toleranceSeconds: Number.NaN }))
  })

  test("when the parts that were signed are split elsewhere", async () => {
    const body = `${NOW_MS / 1000}.${BODY}`
    const signed = sign({ timestamp: "1", body })
    const shifted = { ...signed, "webhook-id": `${EVENT.id}.1`, "webhook-timestamp": String(NOW_MS / 1000) }
    await expectRefused(verify(shifted))
  })

  test.each(["null", "[]", '"text"', "{", '{"id":1,"type":"a","data":1}', '{"id":"a","type":"b"}'])(
    "with the signed body %s, which is no event",
    async (body) => {
      await expectRefused(verify(sign({ body }), { body }))
    },
  )
})

test.each([
  ["no secret", []],
  ["an empty secret", "whsec_"],
  ["a short secret", `whsec_${Buffer.alloc(23).toString("base64")}`],
  ["something else", "marker!"],
])("throws a TypeError for %s, which would verify what anybody signs", async (_, secret) => {
  const verified = verify(sign(), { secret })
  await expect(verified).rejects.toThrow(TypeError)
  await expect(verified).rejects.not.toThrow(/marker/)
})

test("throws a TypeError for a parsed body", async () => {
  await expect(verifyWebhook(EVENT as never, sign(), SECRET)).rejects.toThrow("not its parsed content")
})

test("changes no prototype by an event with __proto__", async () => {
  const body = '{"id":"a","type":"b","data":{},"__proto__":{"isAdmin":true}}'
  const event = await verify(sign({ body }), { body })
  expect(Object.getPrototypeOf(event)).toBe(Object.prototype)
  expect("isAdmin" in {}).toBe(false)
})
