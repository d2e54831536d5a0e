import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { PROBLEMS, RELAY_ERROR_CODES, type RelayErrorCode } from "@sealway/kernel"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { echo, startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { useService } from "../support/service.ts"
import { ATTEMPTS, type Attempt, CARD, MARKER, WRONG_KEY } from "./error-attempts.ts"
import { createErrorWorld, type ErrorWorld } from "./error-world.ts"
import { exchange, type RawAnswer } from "./raw-exchange.ts"

const service = useService()

const EXCHANGE_TIMEOUT_MS = 120_000
/** Resolved when the destination got the request that it never answers. */
const unanswered = Promise.withResolvers<void>()
const destination = await startRelayDestination((request, response) => {
  const { target } = request
  if (target.startsWith("/broken")) response.destroy()
  else if (target.startsWith("/silent")) unanswered.resolve()
  else if (target.startsWith("/html")) response.writeHead(200, { "content-type": "text/html" }).end(MARKER)
  else echo(request, response)
})
afterAll(() => destination[Symbol.asyncDispose]())

let world: ErrorWorld
beforeAll(async () => {
  world = await createErrorWorld(service, destination.destinationDomain, CARD)
})

/** As decided, independent of the code. */
const STATUSES: Readonly<Record<RelayErrorCode, number>> = {
  "subdomain-not-found": 404,
  "relay-not-found": 404,
  "request-timeout": 504,
  "service-unavailable": 503,
  "unsupported-content-type-in-response": 502,
  "proxy-auth-failed": 401,
  "proxy-authentication-required": 401,
  "content-length-required": 411,
  "invalid-request": 400,
  "no-hostname-in-request": 400,
  "http-connect-not-allowed": 405,
  forbidden: 403,
  "payload-too-large": 413,
  "invalid-content-type": 415,
  "decrypt/forbidden": 403,
  "encrypt/pre-encrypted-data": 400,
  "upgrade-not-supported": 501,
  "proxy-error": 502,
  "bad-request": 400,
  "too-many-requests": 429,
  "internal-server-error": 500,
}

const problemSchema = z.strictObject({
  code: z.string(),
  title: z.string().min(1),
  detail: z.string().regex(/^[A-Z].+\.$/),
  status: z.int(),
})

async function open(to: "relay" | "proxy"): Promise<Socket> {
  const { relayUrl, proxyUrl } = service.service
  const { port } = new URL(to === "relay" ? relayUrl : proxyUrl)
  const socket = connect(Number(port), "127.0.0.1")
  socket.on("error", () => socket.destroy())
  await once(socket, "connect")
  return socket
}

function expectRefusal(
  answer: RawAnswer,
  { code, status = STATUSES[code], headers = {} }: Omit<Attempt, "bytes">,
) {
  expect({ code: answer.code, status: answer.status }).toEqual({ code, status })
  expect(answer.headers).toMatchObject({
    ...headers,
    "x-service-error-code": code,
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  })
  expect(problemSchema.parse(JSON.parse(answer.body))).toMatchObject({ code, status })
  const told = JSON.stringify(answer.headers) + answer.body
  const { token, lockedToken, scopelessKey, exhaustedKey, key, foreign } = world
  const secrets = [MARKER, CARD, token, lockedToken, scopelessKey, exhaustedKey, key, foreign.key, WRONG_KEY]
  expect(secrets.filter((secret) => told.includes(secret))).toEqual([])
}

async function expectServing(): Promise<void> {
  const { domain: relayDomain } = world
  const answer = await sendToRelay(service.service.relayUrl, { relayDomain, path: "/a", body: "still here" })
  expect([answer.status, answer.body.toString()]).toEqual([200, "still here"])
  // The answers of destinations are theirs.
  expect(answer.headers).not.toHaveProperty("x-content-type-options")
}

describe("every error code of relays", () => {
  test("is provoked here, and has its status", () => {
    expect([...new Set(ATTEMPTS.map(({ code }) => code))].sort()).toEqual([...RELAY_ERROR_CODES].sort())
    expect(Object.fromEntries(RELAY_ERROR_CODES.map((code) => [code, PROBLEMS[code].relay]))).toEqual(
      STATUSES,
    )
  })

  test.each(ATTEMPTS)("$code is returned when $when", async (attempt) => {
    const socket = await open(attempt.to ?? "relay")
    try {
      const answered =
        attempt.code === "request-timeout"
          ? await answerTooLate(socket, attempt.bytes(world))
          : await exchange(socket, attempt.bytes(world))
      expectRefusal(answered, attempt)
    } finally {
      socket.destroy()
    }
    await expectServing()
  })
})

/**
 * Resolves to the answer for a destination that does not answer; checks that nothing is sent before the time is over.
 */
async function answerTooLate(socket: Socket, bytes: string): Promise<RawAnswer> {
  vi.useFakeTimers({ toFake: ["setTimeout"] })
  try {
    const answered = exchange(socket, bytes)
    await unanswered.promise
    vi.advanceTimersByTime(EXCHANGE_TIMEOUT_MS - 1)
    // A whole round trip of another request: anything sent by now would be here.
    await expectServing()
    expect(socket.bytesRead).toBe(0)
    vi.advanceTimersByTime(1)
    return await answered
  } finally {
    vi.useRealTimers()
  }
}
