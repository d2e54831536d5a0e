import { afterEach, expect, test, vi } from "vitest"
import { type Delivery, MessageQueue, type Redrive } from "./message-queue.ts"

const NOW = 1_700_000_000_000
const DAY_MS = 86_400_000
const VISIBILITY_TIMEOUT_MS = 60_000
const NEVER = new AbortController().signal

function createQueue({ redrive = null }: { readonly redrive?: Redrive | null } = {}) {
  const clock = { now: NOW }
  const queue = new MessageQueue({
    visibilityTimeoutMs: VISIBILITY_TIMEOUT_MS,
    redrive,
    wallClock: () => clock.now,
  })
  const send = (body: string) => queue.send(body, 0)
  const receive = (max = 10) => queue.receive(max, 0, NEVER)
  return { queue, clock, send, receive }
}

afterEach(() => {
  vi.useRealTimers()
})

/** Lets the visibility timeout of what was delivered before end. */
function passVisibilityTimeout(): void {
  vi.advanceTimersByTime(VISIBILITY_TIMEOUT_MS)
}

const bodies = (deliveries: readonly Delivery[]) => deliveries.map(({ message }) => message.body)

function first([delivery]: readonly Delivery[]): Delivery {
  if (delivery === undefined) throw new Error("Nothing was delivered.")
  return delivery
}

test("delivers messages in the order in which they were sent, up to the requested number", async () => {
  const { send, receive } = createQueue()
  for (const body of ["a", "b", "c"]) send(body)

  expect(bodies(await receive(2))).toEqual(["a", "b"])
  expect(bodies(await receive(2))).toEqual(["c"])
})

test("wakes the receiver that has waited longest when a message arrives", async () => {
  const { queue, send } = createQueue()
  const waiting = [1, 2].map(() => queue.receive(1, 60_000, NEVER))

  send("a")
  expect(bodies((await waiting[0]) ?? [])).toEqual(["a"])
  send("b")
  expect(bodies((await waiting[1]) ?? [])).toEqual(["b"])
})

test("delivers to the next receiver when the one that was woken has gone away", async () => {
  const { queue, send } = createQueue()
  const gone = new AbortController()
  const left = queue.receive(1, 60_000, gone.signal)
  const stays = queue.receive(1, 60_000, NEVER)

  send("a")
  gone.abort()

  expect(await left).toEqual([])
  expect(bodies(await stays)).toEqual(["a"])
})

test("delivers nothing to a receiver that has already gone away", async () => {
  const { queue, send, receive } = createQueue()
  send("a")

  expect(await queue.receive(1, 0, AbortSignal.abort())).toEqual([])
  expect(bodies(await receive())).toEqual(["a"])
})

test("keeps a message in flight when it is deleted with the handle of an earlier delivery", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const { queue, send, receive } = createQueue()
  send("a")
  const { receiptHandle: earlier } = first(await receive())
  passVisibilityTimeout()
  const { receiptHandle: latest } = first(await receive())

  queue.delete(earlier)
  expect(queue.counts).toEqual({ visible: 0, delayed: 0, inFlight: 1 })

  queue.delete(latest)
  expect(queue.counts).toEqual({ visible: 0, delayed: 0, inFlight: 0 })
})

test("accepts a second deletion of the same delivery", async () => {
  const { queue, send, receive } = createQueue()
  send("a")
  const { receiptHandle } = first(await receive())

  queue.delete(receiptHandle)
  queue.delete(receiptHandle)

  expect(queue.counts.inFlight).toBe(0)
})

test.each(["", "a", "00000000-0000-0000-0000-000000000000#1"])(
  "deletes nothing with the receipt handle %o, which it did not give",
  async (receiptHandle) => {
    const { queue, send, receive } = createQueue()
    send("a")
    await receive()

    queue.delete(receiptHandle)

    expect(queue.counts.inFlight).toBe(1)
  },
)

test("moves a message after its last delivery, with its id, content and time of sending", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const moved = createQueue()
  const redrive = { maxReceiveCount: 1, move: (message: Delivery["message"]) => moved.queue.accept(message) }
  const { queue, send, receive } = createQueue({ redrive })
  const id = send("a")
  send("b")
  const [, b] = await receive()
  queue.delete(b?.receiptHandle ?? "")
  passVisibilityTimeout()

  expect(await receive()).toEqual([])

  const { message } = first(await moved.receive())
  expect(message).toMatchObject({ id, body: "a", sentAt: NOW, receiveCount: 1 })
})

test("drops a message that nobody received for four days", async () => {
  const { clock, send, receive } = createQueue()
  send("a")
  clock.now += 1000
  send("b")

  clock.now = NOW + 4 * DAY_MS + 1

  expect(bodies(await receive())).toEqual(["b"])
})

test("lets no timer of a closed queue make a message visible", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const { queue, send, receive } = createQueue()
  send("a")
  await receive()
  queue.send("b", 1)

  queue.close()
  passVisibilityTimeout()

  expect(queue.counts).toEqual({ visible: 0, delayed: 0, inFlight: 0 })
})
