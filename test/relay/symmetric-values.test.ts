import { createSealingKey, parseToken } from "@sealway/tokens"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"
import { startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { useService } from "../support/service.ts"

const CARD = "4242424242424242"
const service = useService()
const destination = await startRelayDestination()
afterAll(() => destination[Symbol.asyncDispose]())

let relayDomain: string
beforeAll(async () => {
  const app = await service.newApp("production")
  const changed = await service.patch(
    `/apps/${app.app.id}`,
    { sealing: "symmetric" },
    { auth: service.team.auth },
  )
  expect(changed.status).toBe(200)
  const by = (action: string) => [{ action, selections: [{ type: "json", selector: "$.card" }] }]
  const answer = await service.post(
    "/relays",
    {
      destinationDomain: destination.destinationDomain,
      routes: [
        { path: "/encrypt", request: by("encrypt") },
        { path: "/decrypt", request: by("decrypt") },
        { path: "/answers", response: by("encrypt") },
        {
          path: "/files/encrypt",
          request: [{ action: "encrypt", selections: [{ type: "file", selector: "scan" }] }],
        },
        {
          path: "/files/decrypt",
          request: [{ action: "decrypt", selections: [{ type: "file", selector: "scan" }] }],
        },
      ],
    },
    { auth: app.auth },
  )
  expect(answer.status, answer.text).toBe(201)
  relayDomain = z.object({ relayDomain: z.string() }).parse(answer.json).relayDomain
  const keys = z
    .object({ ecdhP256Key: z.string() })
    .parse((await service.get("/keys", { auth: app.auth })).json)
  appPublicKey = Buffer.from(keys.ecdhP256Key, "base64")
})
let appPublicKey: Buffer

const send = async (path: string, card: unknown) => {
  const body = JSON.stringify({ card, other: 1 })
  const answer = await sendToRelay(service.service.relayUrl, {
    relayDomain,
    path,
    body,
    headers: { "content-type": "application/json" },
  })
  expect(answer.status, answer.body.toString()).toBe(200)
  return z.object({ card: z.string(), other: z.literal(1) }).parse(JSON.parse(answer.body.toString())).card
}

test.each(["/encrypt", "/answers"])(
  "seals values symmetrically at %s, and opens them again, when the app says so",
  async (path) => {
    const token = await send(path, CARD)
    expect(parseToken(token)?.version).toBe("c3cx")
    expect(await send("/decrypt", token)).toBe(CARD)
  },
)

test("opens values that clients sealed to the public key of an app with symmetric values", async () => {
  const token = createSealingKey({ appPublicKey, debug: false }).seal("string", CARD, {
    role: null,
    encryptedAt: 1_700_000_000,
  })
  expect(parseToken(token)?.version).not.toBe("c3cx")
  expect(await send("/decrypt", token)).toBe(CARD)
})

test("seals files symmetrically in forms, and opens them again, when the app says so", async () => {
  const content = Buffer.from("a scan \r\n--x\0")
  const form = (file: Buffer) =>
    Buffer.concat([
      Buffer.from(
        '--b0undary\r\ncontent-disposition: form-data; name="scan"; filename="a.bin"\r\ncontent-type: application/octet-stream\r\n\r\n',
      ),
      file,
      Buffer.from("\r\n--b0undary--\r\n"),
    ])
  const fileOf = (body: Buffer) =>
    body.subarray(body.indexOf("\r\n\r\n") + 4, body.lastIndexOf("\r\n--b0undary--"))
  const sendForm = async (path: string, file: Buffer) => {
    const headers = { "content-type": "multipart/form-data; boundary=b0undary" }
    const answer = await sendToRelay(service.service.relayUrl, {
      relayDomain,
      path,
      headers,
      body: form(file),
    })
    expect(answer.status, answer.body.toString()).toBe(200)
    return fileOf(answer.body)
  }
  const sealed = await sendForm("/files/encrypt", content)
  expect(sealed.includes("a scan")).toBe(false)
  expect((await sendForm("/files/decrypt", sealed)).equals(content)).toBe(true)
})
