import { duplexPair } from "node:stream"
import { isUnavailability, QUEUES } from "@sealway/ports"
import { expect, test } from "vitest"
import { createCaller } from "../calls/create-caller.ts"
import { serveCalls } from "../calls/serve-calls.ts"
import { createLocalQueues } from "./local-queues.ts"
import { queueMethods, queuesOver } from "./queue-calls.ts"

/** Returns queues of one process, and the same as another one has them, which may send events. */
function shareQueues() {
  const [near, far] = duplexPair()
  const own = createLocalQueues(QUEUES, () => 0)
  serveCalls(far, queueMethods(own, ["events"]))
  const end = () => {
    far.destroy()
    near.destroy()
  }
  return { own, shared: queuesOver(createCaller(near, 3_000)), end }
}

test("another process sends messages, also ones that wait", async () => {
  const { own, shared } = shareQueues()
  await shared.send("events", { text: "é\0" })
  await shared.send("events", { late: true }, { delaySeconds: 60 })
  const queue = own.queue("events")
  expect(queue.counts).toEqual({ visible: 1, delayed: 1, inFlight: 0 })
  const [delivery] = await queue.receive(1, 0, new AbortController().signal)
  expect(JSON.parse(delivery?.message.body ?? "")).toEqual({ text: "é\0" })
  own.close()
})

test("another process can send to no other queue", async () => {
  const { own, shared } = shareQueues()
  await expect(shared.send("function-runs", {})).rejects.toThrow(TypeError)
  expect(own.queue("function-runs").counts.visible).toBe(0)
})

test("sending throws unavailability when the process with the queues has ended", async () => {
  const { shared, end } = shareQueues()
  end()
  expect(isUnavailability(await shared.send("events", {}).catch((error: unknown) => error))).toBe(true)
})
