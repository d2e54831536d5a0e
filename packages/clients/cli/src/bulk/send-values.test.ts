import type { ApiRequest, Transport } from "@sealway/sdk/api"
import { describe, expect, test } from "vitest"
import { UnavailableFailure } from "../terminal/failures.ts"
import { refusal } from "../testing/refusal.ts"
import { createDocumentSender, createFingerprintSender, withPatience } from "./send-values.ts"
import { literalsOf, valuesOf } from "./values-document.ts"

const limited = (retryAfterMs: number) => refusal(429, "too-many-requests", { retryAfterMs })

function serviceThatAnswers(body: string): { service: Transport; calls: ApiRequest[] } {
  const calls: ApiRequest[] = []
  const service: Transport = {
    async send(call) {
      calls.push(call)
      return { status: 200, headers: new Headers(), content: new TextEncoder().encode(body) }
    },
  }
  return { service, calls }
}

/** The body of a call, as text. */
const sentIn = async (call: ApiRequest | undefined) => new Response(call?.body?.content ?? null).text()

describe("a document of values", () => {
  test("is sent as spelled, in a call that changes nothing, and comes back as spelled", async () => {
    const { service, calls } = serviceThatAnswers(' [ "a\\n" ,1e400,true]\n')
    const send = createDocumentSender(
      service,
      { path: "/decrypt", headers: { "x-service-data-role": "pci" } },
      false,
    )
    const values = await send(valuesOf(['"x"', "1.10", '"\xc3\xa9"']))
    expect(literalsOf(values)).toEqual(['"a\\n"', "1e400", "true"])
    expect(calls).toMatchObject([
      { method: "POST", path: "/decrypt", headers: { "x-service-data-role": "pci" }, isRepeatable: true },
    ])
    expect(await sentIn(calls[0])).toBe('["x",1.10,"é"]')
  })

  test.each([
    '["ev:a"]',
    '["ev:a","ev:b","ev:c"]',
    '{"a":"ev:a","b":"ev:b"}',
    '[["ev:a","ev:b"]]',
    '"ev:a"',
    "",
    "[",
  ])("that comes back as %j is refused", async (body) => {
    const send = createDocumentSender(serviceThatAnswers(body).service, { path: "/encrypt" }, true)
    await expect(send(valuesOf(["1", "2"]))).rejects.toMatchObject({ code: "unavailable" })
  })

  test("is refused, when sealing, if any value comes back in plain text", async () => {
    const { service } = serviceThatAnswers('["ev:a","4242"]')
    const sealing = createDocumentSender(service, { path: "/encrypt" }, true)
    await expect(sealing(valuesOf(["1", "2"]))).rejects.toMatchObject({ code: "unavailable" })
    expect(
      await createDocumentSender(service, { path: "/rewrap" }, false)(valuesOf(["1", "2"])),
    ).toHaveProperty("starts.length", 2)
  })
})

test("requests a fingerprint with the token as spelled", async () => {
  const { service, calls } = serviceThatAnswers('{"type":"string","fingerprint":"ab-_9"}')
  const send = createFingerprintSender(service, { path: "/inspect" })
  expect(await send('"ev:\\u0061"')).toBe('"ab-_9"')
  expect(await sentIn(calls[0])).toBe('{"token":"ev:\\u0061"}')
  const other = createFingerprintSender(serviceThatAnswers("{}").service, { path: "/inspect" })
  await expect(other('"x"')).rejects.toMatchObject({ code: "unavailable" })
})

describe("patience", () => {
  const signal = new AbortController().signal
  const counter = (failures: readonly unknown[]) => {
    const sleptMs: number[] = []
    const sleep = async (durationMs: number) => void sleptMs.push(durationMs)
    let sent = 0
    const send = async () => {
      const failure = failures[sent++]
      if (failure !== undefined) throw failure
      return sent
    }
    return { sleptMs, sender: withPatience({ sleep }, signal, send, () => 1), sent: () => sent }
  }
  const OK = undefined

  test("waits longer and longer for a service that answered before", async () => {
    const busy = [refusal(503, "service-unavailable"), refusal(429, "too-many-requests")]
    const { sender, sleptMs } = counter([OK, ...busy, new UnavailableFailure("gone"), OK])
    await sender(null)
    expect(await sender(null)).toBe(5)
    expect(sleptMs).toEqual([1_000, 2_000, 4_000])
  })

  test("ends after nine attempts", async () => {
    const { sender, sleptMs, sent } = counter([OK, ...Array(20).fill(refusal(500, "internal-server-error"))])
    await sender(null)
    await expect(sender(null)).rejects.toMatchObject({ code: "internal-server-error" })
    expect(sent()).toBe(10)
    expect(sleptMs).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })

  test("waits as long as a limit of the key asks for, up to ten minutes", async () => {
    const { sender, sleptMs } = counter([OK, limited(200_000), OK, limited(600_001)])
    await sender(null)
    await sender(null)
    expect(sleptMs).toEqual([300_000])
    await expect(sender(null)).rejects.toMatchObject({ code: "too-many-requests" })
  })

  test("goes on for as long as others get through a limit of the key", async () => {
    let others = 0
    const send = async (input: "slow" | "other") => {
      if (input === "slow" && others < 30) throw limited(0)
      if (input === "other") others++
      return input
    }
    const sleep = async () => void (await sender("other"))
    const sender = withPatience({ sleep }, signal, send, () => 1)
    await sender("other")
    expect(await sender("slow")).toBe("slow")
    expect(others).toBe(30)
  })

  test("ends after nine attempts when nobody gets through a limit of the key", async () => {
    const { sender, sent } = counter([OK, ...Array(20).fill(limited(0))])
    await sender(null)
    await expect(sender(null)).rejects.toMatchObject({ code: "too-many-requests" })
    expect(sent()).toBe(10)
  })

  test.each([
    ["nothing was answered before", [], new UnavailableFailure("gone")],
    ["a key is refused", [OK], refusal(401, "unauthorized")],
    ["a value is refused", [OK], refusal(400, "invalid-request")],
    ["something else is wrong", [OK], new TypeError("defect")],
  ])("does not wait when %s", async (_, before, failure) => {
    const { sender, sleptMs } = counter([...before, failure])
    for (const _ of before) await sender(null)
    await expect(sender(null)).rejects.toBe(failure)
    expect(sleptMs).toEqual([])
  })
})
