import type { ApiRequest, Transport } from "@sealway/sdk/api"
import { describe, expect, test } from "vitest"
import { CommandFailure, UnavailableFailure } from "../terminal/failures.ts"
import { refusal } from "../testing/refusal.ts"
import { listenForEvents } from "./listen-for-events.ts"

type Answer = readonly string[] | "dropped" | Error

const GONE = refusal(404, "not-found")
const answerOf = (content: unknown) => ({ status: 200, headers: new Headers(), content })
const DOWN = new UnavailableFailure("Down.")

/**
 * Listens to a service that answers each fetch in turn, until there are no more answers; returns what was sent and
 * reported.
 */
async function listen(answers: readonly Answer[], { failsToBegin = false, stopAt = "" } = {}) {
  const end = new AbortController()
  const left = [...answers]
  const calls: ApiRequest[] = []
  const seen: string[] = []
  const told: string[] = []
  const slept: number[] = []
  let made = 0
  const service: Transport = {
    async send(call) {
      calls.push(call)
      if (call.path === "/webhook-listeners") {
        if (failsToBegin) throw DOWN
        made += 1
        return answerOf({ id: `listener_${made}` })
      }
      const answer = left.shift()
      if (answer === undefined) {
        end.abort(130)
        throw new UnavailableFailure("Interrupted.")
      }
      if (answer instanceof Error) throw answer
      const ids = answer === "dropped" ? [] : answer
      const data = ids.map((id) => ({ id, type: "relay.error", createdAt: 1, data: { id } }))
      return answerOf({ data, hasMore: false, hasDropped: answer === "dropped" })
    },
  }
  const closed: ApiRequest[] = []
  const closing: Transport = {
    async send(call) {
      closed.push(call)
      throw DOWN
    },
  }
  const host = {
    signal: end.signal,
    async sleep(ms: number) {
      slept.push(ms)
    },
  }
  const reports = {
    onReady: () => told.push("ready"),
    onDropped: () => told.push("dropped"),
    onForgotten: () => told.push("forgotten"),
    onBroken: (pauseMs: number) => told.push(`broken ${pauseMs}`),
    onResumed: () => told.push("resumed"),
  }
  let ended: unknown = null
  try {
    for await (const { id } of listenForEvents(service, closing, host, ["*"], reports)) {
      seen.push(id)
      if (id === stopAt) break
    }
  } catch (error) {
    ended = error
  }
  const handled = calls
    .filter(({ path }) => path.endsWith("/fetch"))
    .map(({ body }) => JSON.parse(String(body?.content)).handled)
  return { seen, told, slept, ended, handled, closed: closed.map(({ path }) => path), calls }
}

describe("listening for events", () => {
  test("yields each in turn, reports which were handled, and looks again a second after there were none", async () => {
    const { seen, handled, slept, told, ended, closed } = await listen([["a", "b"], [], ["c"], []])
    expect(seen).toEqual(["a", "b", "c"])
    expect(handled).toEqual([[], ["a", "b"], [], ["c"], []])
    expect(slept).toEqual([1_000, 1_000])
    expect(told).toEqual(["ready"])
    expect(ended).toBe(130)
    expect(closed).toEqual(["/webhook-listeners/listener_1"])
  })

  test("does not report an event as handled while it is being handled", async () => {
    const { handled, closed, ended } = await listen([["a", "b"]], { stopAt: "b" })
    expect(handled).toEqual([[]])
    expect({ closed, ended }).toEqual({ closed: ["/webhook-listeners/listener_1"], ended: null })
  })

  test("continues after the service could not be reached, waiting longer each time, up to 30 s", async () => {
    const { seen, handled, slept, told } = await listen([
      ["a"],
      ...Array.from({ length: 7 }, () => DOWN),
      ["b"],
      refusal(503, "service-unavailable"),
      ["c"],
    ])
    expect(seen).toEqual(["a", "b", "c"])
    expect(handled.slice(1, 9)).toEqual(Array.from({ length: 8 }, () => ["a"]))
    expect(slept).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 1_000])
    expect(told.slice(-3)).toEqual(["resumed", "broken 1000", "resumed"])
  })

  test("starts again, and says so, when the service has forgotten the listener", async () => {
    const { seen, told, handled, closed } = await listen([["a"], GONE, ["b"]])
    expect(seen).toEqual(["a", "b"])
    expect(told).toEqual(["ready", "forgotten"])
    expect(handled).toEqual([[], ["a"], [], ["b"]])
    expect(closed).toEqual(["/webhook-listeners/listener_2"])
  })

  test("reports that events were dropped", async () => {
    expect((await listen(["dropped"])).told).toEqual(["ready", "dropped"])
  })

  test("ends when the service refuses, and when it cannot be reached at the start", async () => {
    const revoked = refusal(401, "unauthorized")
    const { ended, closed } = await listen([["a"], revoked])
    expect(ended).toBe(revoked)
    expect(closed).toHaveLength(1)
    const unreachable = await listen([], { failsToBegin: true })
    expect(unreachable).toMatchObject({ ended: expect.any(CommandFailure), told: [], closed: [] })
  })
})
