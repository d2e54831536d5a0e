import { Duplex } from "node:stream"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createHandshakes } from "./handshakes.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const newSocket = () => new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })

test("drops a connection that is not ready in time, and no ready one", () => {
  const handshakes = createHandshakes({ handshakeTimeoutMs: 10_000, maxHandshakes: 10 })
  const [slow, quick] = [newSocket(), newSocket()]
  handshakes.begin(slow)
  handshakes.begin(quick)()
  vi.advanceTimersByTime(9_999)
  expect(slow.destroyed).toBe(false)
  vi.advanceTimersByTime(1)
  expect([slow.destroyed, quick.destroyed]).toEqual([true, false])
})

test("drops the oldest when there are too many, not counting those that are ready or gone", () => {
  const handshakes = createHandshakes({ handshakeTimeoutMs: 10_000, maxHandshakes: 2 })
  const [ready, first, second, third, fourth] = [
    newSocket(),
    newSocket(),
    newSocket(),
    newSocket(),
    newSocket(),
  ]
  handshakes.begin(ready)()
  for (const socket of [first, second]) handshakes.begin(socket)
  expect(first.destroyed).toBe(false)
  handshakes.begin(third)
  expect([ready, first, second, third].map(({ destroyed }) => destroyed)).toEqual([false, true, false, false])
  handshakes.begin(fourth)
  expect([second, third, fourth].map(({ destroyed }) => destroyed)).toEqual([true, false, false])
})

test("drops the rest when it closes", () => {
  const handshakes = createHandshakes({ handshakeTimeoutMs: 10_000, maxHandshakes: 2 })
  const [pending, ready] = [newSocket(), newSocket()]
  handshakes.begin(pending)
  handshakes.begin(ready)()
  handshakes.close()
  expect([pending.destroyed, ready.destroyed]).toEqual([true, false])
})
