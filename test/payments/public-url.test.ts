import { once } from "node:events"
import { get } from "node:http"
import { expect, test } from "vitest"
import * as z from "zod"
import { useService } from "../support/service.ts"
import { CHALLENGE_NUMBER, THREE_DS_SESSION } from "../support/three-d-secure-requests.ts"

const PUBLIC_URL = "https://vault.example.com"
const service = useService("container", { publicUrl: PUBLIC_URL })

const sessionSchema = z.object({ id: z.string(), nextAction: z.object({ url: z.string() }) })
const challengeSchema = z.object({ nextAction: z.object({ url: z.string() }) })

test("leads links of a session to the deployment's own address, whatever the request for one says", async () => {
  const { app } = service.sandbox
  const card = { ...THREE_DS_SESSION.card, number: CHALLENGE_NUMBER }
  const body = { ...THREE_DS_SESSION, card }
  const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "evil.example.com" }
  const { json } = await service.post("/payments/3ds-sessions", body, { headers })
  const { id, nextAction } = sessionSchema.parse(json)
  expect(nextAction.url).toMatch(/^https:\/\/vault\.example\.com\/frontend\/3ds\/pages\/[\w-]{32}$/)

  const path = `/frontend/3ds/browser-sessions/${id}`
  const asBrowser = { auth: null, headers: { ...headers, "x-service-app-id": app.id } }
  const browser = {
    javaEnabled: false,
    javaScriptEnabled: true,
    language: "en-GB",
    colorDepth: 24,
    screenHeight: 1_080,
    screenWidth: 1_920,
    timeZone: -60,
  }
  await service.patch(path, { browser }, asBrowser)
  const challenge = await service.patch(path, { browserFingerprint: "timeout" }, asBrowser)
  // The sandbox's issuer is at the same address.
  expect(challengeSchema.parse(challenge.json).nextAction.url).toContain(`${PUBLIC_URL}/sandbox/3ds/`)
  const { text } = await service.get(`/payments/3ds-sessions/${id}/messages`)
  expect(text).toContain(`"notificationURL":"${PUBLIC_URL}/frontend/3ds/notifications/`)
  expect(text).toContain(`"threeDSServerURL":"${PUBLIC_URL}/payments/3ds-results/`)
  expect(text).not.toContain(new URL(service.url).host)
  expect(text).not.toContain("evil.example.com")
})

test("answers to the configured name of a deployment too, and to no other", async () => {
  /** fetch does not allow a Host header. */
  const statusOf = async (host: string) => {
    const [response] = await once(get(`${service.url}/health`, { headers: { host } }), "response")
    response.resume()
    return response.statusCode
  }
  expect(await statusOf("vault.example.com")).toBe(200)
  expect(await statusOf("other.example.com")).toBe(421)
})
