import { CancelledError, processTurns, RequestTask } from "@sealway/kernel"
import type { ChangeAnswer, RequestsDescription } from "@sealway/policies"
import { expect, test } from "vitest"
import { createProver, type ProverThreads } from "./create-prover.ts"

const KNOWN: RequestsDescription = { known: true, requests: [], isComplete: true, untilMs: null }
const UNKNOWN: RequestsDescription = { known: false, reason: "no answer within 10 seconds" }
const CHANGE: ChangeAnswer = { permitted: KNOWN, refused: KNOWN, warnings: [] }
const QUESTION = { role: "pci", rules: [], nowMs: 1_000 }
const task = () => new RequestTask({ turns: processTurns })

function newProver(threads: Partial<ProverThreads>) {
  const clock = { nowMs: 1 }
  const prover = createProver({
    threads: { access: async () => KNOWN, change: async () => CHANGE, bytes: 1, ...threads },
    now: () => clock.nowMs,
  })
  return { prover, clock }
}

test("answers for the same policies come from memory for ten minutes, and say from when they hold", async () => {
  let asked = 0
  const { prover, clock } = newProver({
    async access() {
      asked += 1
      return KNOWN
    },
  })
  const ask = (nowMs: number, appId = "app_1") => prover.access(appId, { ...QUESTION, nowMs }, task())
  expect(await ask(1_000)).toEqual({ access: KNOWN, fromMs: 1_000 })
  clock.nowMs += 10 * 60_000 - 1
  expect(await ask(2_000)).toEqual({ access: KNOWN, fromMs: 1_000 })
  expect(asked).toBe(1)
  await ask(2_000, "app_2")
  const rule = { id: "1", name: "1", effect: "permit", conditions: {}, cedar: null } as const
  await prover.access("app_1", { ...QUESTION, rules: [rule] }, task())
  expect(asked).toBe(3)
  clock.nowMs += 2
  expect(await ask(3_000)).toEqual({ access: KNOWN, fromMs: 3_000 })
})

test("what is not known is decided again", async () => {
  const accesses = [UNKNOWN, KNOWN]
  const changes: ChangeAnswer[] = [
    { ...CHANGE, refused: UNKNOWN },
    { ...CHANGE, warnings: [{ role: "pci", policy: null, kind: "unknown", reason: "slow" }] },
    CHANGE,
  ]
  const { prover } = newProver({
    access: async () => accesses.shift() ?? UNKNOWN,
    change: async () => changes.shift() ?? { ...CHANGE, permitted: UNKNOWN },
  })
  const access = async () => (await prover.access("app_1", QUESTION, task())).access.known
  expect([await access(), await access(), await access()]).toEqual([false, true, true])
  const { rules: before, ...question } = QUESTION
  const change = () => prover.change("app_1", { ...question, before, after: [] }, task())
  for (let count = 0; count < 3; count++) await change()
  expect(await change()).toEqual({ ...CHANGE, fromMs: 1_000 })
})

test("an app has one question at a time, others theirs, and a client that leaves makes room", async () => {
  const begun: AbortSignal[] = []
  const { prover } = newProver({
    access(_question, _limits, signal) {
      begun.push(signal)
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
    },
  })
  const leaving = task()
  const first = prover.access("app_1", QUESTION, leaving)
  await expect(prover.access("app_1", { ...QUESTION, role: "pii" }, task())).rejects.toMatchObject({
    code: "too-many-requests",
    headers: { "retry-after": "2" },
  })
  const other = task()
  const second = prover.access("app_2", QUESTION, other)
  await expect.poll(() => begun.length).toBe(2)
  leaving.cancel(new CancelledError("client"))
  await expect(first).rejects.toThrow(CancelledError)
  const again = task()
  const third = prover.access("app_1", QUESTION, again)
  await expect.poll(() => begun.length).toBe(3)
  for (const each of [other, again]) each.cancel(new CancelledError("client"))
  await Promise.allSettled([second, third])
})

test("no thread is started before there is memory for it", async () => {
  const reserved: number[] = []
  const room = Promise.withResolvers<void>()
  let asked = 0
  const { prover } = newProver({
    bytes: 5_000,
    async access() {
      asked += 1
      return KNOWN
    },
  })
  const memory = {
    reserve(bytes: number) {
      reserved.push(bytes)
      return room.promise
    },
    take: () => undefined,
    add: () => undefined,
  }
  const answer = prover.access("app_1", QUESTION, new RequestTask({ turns: processTurns, memory }))
  expect([reserved, asked]).toEqual([[5_000], 0])
  room.resolve()
  await answer
  expect(asked).toBe(1)
})
