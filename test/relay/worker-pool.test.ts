import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as delay } from "node:timers/promises"
import { listenForWorkers, type SharedListeners } from "@sealway/relay-proxy"
import { afterEach, describe, expect, test } from "vitest"

const SCRIPT = new URL("worker-pool/answering-worker.ts", import.meta.url)
const HOST = "127.0.0.1"

const logged: (string | undefined)[] = []
const reports: unknown[] = []
const open: SharedListeners[] = []

afterEach(async () => {
  logged.splice(0)
  reports.splice(0)
  for (const each of open.splice(0)) await each.close()
})

interface ShareOptions {
  readonly setup?: object
  readonly port?: number
  readonly takeTimeoutMs?: number
  readonly startsWhenUsed?: boolean
}

async function share(count: number, options: ShareOptions = {}) {
  const { setup = {}, port = 0, ...limits } = options
  const shared = await listenForWorkers(
    new Map([
      ["first", { port, host: HOST }],
      ["second", { port: 0, host: HOST }],
    ]),
    {
      count,
      setup,
      ...limits,
      script: SCRIPT,
      environment: { SEALWAY_ONLY: "this" },
      drainTimeoutMs: 5_000,
      log: { error: (message, fields) => void logged.push(`${message}: ${fields?.code}`) },
      onReport: (report) => void reports.push(report),
    },
  )
  open.push(shared)
  return shared
}

/** Returns a worker's answer, as JSON. Null: the connection was closed without an answer. */
async function ask(shared: SharedListeners, question: string, listener = "first"): Promise<unknown> {
  return answerOn(say(shared, question, listener))
}

function say(shared: SharedListeners, question: string, listener = "first"): Socket {
  const socket = connect(shared.portOf(listener), HOST)
  socket.on("error", () => socket.destroy())
  socket.write(question)
  return socket
}

async function answerOn(socket: Socket): Promise<unknown> {
  const answer = await text(socket).catch(() => "")
  return answer.trim() === "" ? null : JSON.parse(answer)
}

const askInTurn = async (shared: SharedListeners, question: string, times: number) => {
  const answers: unknown[] = []
  for (let time = 0; time < times; time++) answers.push(await ask(shared, question))
  return answers
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(10)
}

describe("workers", () => {
  test("take the connections of a port in turn", async () => {
    const [a, b, c, d] = await askInTurn(await share(2), "who", 4)
    expect(a).not.toBe(b)
    expect([c, d]).toEqual([a, b])
    expect([a, b]).not.toContain(process.pid)
  })

  test("know which of the ports a connection came to", async () => {
    const shared = await share(1)
    expect([await ask(shared, "to", "first"), await ask(shared, "to", "second")]).toEqual(["first", "second"])
  })

  test("have all learned of a change once it resolves", async () => {
    const shared = await share(3)
    for (const number of [1, 2, 3]) {
      shared.tell({ number })
      await shared.learned()
      expect(await askInTurn(shared, "change", 3)).toEqual(Array(3).fill({ number }))
    }
  })

  test("are waited for until they have learned, but not for ever", async () => {
    const shared = await share(2)
    const [pid] = (await askInTurn(shared, "who", 1)) as number[]
    process.kill(pid ?? 0, "SIGSTOP")
    shared.tell({ number: 1 })
    const learned = shared.learned()
    expect(await Promise.race([learned, delay(50, "waiting")])).toBe("waiting")
    await learned
    process.kill(pid ?? 0, "SIGCONT")
    await shared.learned()
    expect(await askInTurn(shared, "change", 2)).toEqual(Array(2).fill({ number: 1 }))
  })

  test("have all reported once it resolves, each time that they are asked", async () => {
    const shared = await share(2)
    const pids = await askInTurn(shared, "who", 2)
    await shared.reported()
    expect(reports).toHaveLength(2)
    expect(reports).toEqual(expect.arrayContaining(pids))
    await Promise.all([shared.reported(), shared.reported()])
    expect(reports).toHaveLength(6)
  })

  test("are waited for until they have reported, but not for ever", async () => {
    const shared = await share(2)
    const [held = 0, other] = (await askInTurn(shared, "who", 2)) as number[]
    process.kill(held, "SIGSTOP")
    await shared.reported()
    expect(reports).toEqual([other])
    process.kill(held, "SIGCONT")
    await shared.reported()
    expect(reports.filter((pid) => pid === held)).toHaveLength(2)
  })

  test("find their settings in their environment, and nothing in their arguments", async () => {
    const shared = await share(1)
    const names = await ask(shared, "environment")
    expect(names).toEqual(["SEALWAY_ONLY"])
    expect(await ask(shared, "arguments")).toEqual([])
  })

  test("drop the connections beyond each worker's limit", async () => {
    const shared = await share(1, { setup: { maxClients: 1 } })
    const first = say(shared, "slow")
    await once(first, "connect")
    expect(await ask(shared, "who")).toBeNull()
    const worker = await answerOn(first)
    expect(worker).toBeTypeOf("number")
    // The worker may learn a moment later than its client that the connection is closed.
    let next: unknown = null
    while (next === null) next = await ask(shared, "who")
    expect(next).toBe(worker)
  })
})

describe("a worker that dies", () => {
  test("is started again and logged, and the others take its place meanwhile", async () => {
    const shared = await share(2)
    const [dying, other] = await askInTurn(shared, "who", 2)
    expect(await ask(shared, "die")).toBeNull()
    await until(() => logged.length > 0)
    expect(logged).toEqual(["a worker ended and is being restarted: SIGKILL"])
    expect(await ask(shared, "who")).toBe(other)
    await until(() => shared.ready === 2)
    const after = await askInTurn(shared, "who", 2)
    expect(after).toContain(other)
    expect(after).not.toContain(dying)
  })

  test("leaves the others' connections untouched", async () => {
    const shared = await share(2)
    const answers = [say(shared, "slow"), say(shared, "die")].map(answerOn)
    expect(await Promise.all(answers)).toEqual([expect.any(Number), null])
  })

  test("keeps the port and lets connections wait, even when it was the only one", async () => {
    const shared = await share(1)
    const [dying] = await askInTurn(shared, "who", 1)
    await ask(shared, "die")
    await until(() => shared.ready === 0)
    const next = await ask(shared, "who")
    expect(next).toBeTypeOf("number")
    expect(next).not.toBe(dying)
  })

  test("leaves the connections that it had not taken to the others", async () => {
    const shared = await share(2)
    const [dying = 0, other] = (await askInTurn(shared, "who", 2)) as number[]
    process.kill(dying, "SIGSTOP")
    const answers = Array.from({ length: 6 }, () => ask(shared, "who"))
    // Which of them wait for the worker that is held up depends on when the other takes its own.
    expect(await Promise.race(answers)).toBe(other)
    process.kill(dying, "SIGKILL")
    expect(await Promise.all(answers)).toEqual(Array(6).fill(other))
  })

  test("is killed when it accepts no more connections, and the others get what it was handed", async () => {
    const shared = await share(2, { takeTimeoutMs: 300 })
    const [hanging = 0, other] = (await askInTurn(shared, "who", 2)) as number[]
    process.kill(hanging, "SIGSTOP")
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(shared, "who")))
    expect(answers).not.toContain(hanging)
    expect(answers).toContain(other)
    expect(logged).toEqual(["a worker ended and is being restarted: SIGKILL"])
  })

  test("is not killed because its clients are slow, or because it has nothing to do", async () => {
    const shared = await share(1, { takeTimeoutMs: 100 })
    const worker = await ask(shared, "slow")
    await delay(200)
    expect(await ask(shared, "who")).toBe(worker)
    expect(logged).toEqual([])
  })

  test("is not killed because its parent process was held up", async () => {
    const shared = await share(1, { takeTimeoutMs: 300 })
    const worker = (await ask(shared, "who")) as number
    process.kill(worker, "SIGSTOP")
    const asked = say(shared, "who")
    await once(asked, "connect")
    // By now it is on its way.
    await delay(50)
    process.kill(worker, "SIGCONT")
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
    expect(await answerOn(asked)).toBe(worker)
    expect(logged).toEqual([])
  })

  test("learns of changes after it was started again", async () => {
    const shared = await share(1)
    await ask(shared, "die")
    await until(() => logged.length > 0)
    shared.tell({ number: 1 })
    await shared.learned()
    await until(() => shared.ready === 1)
    shared.tell({ number: 2 })
    await shared.learned()
    expect(await ask(shared, "change")).toEqual({ number: 2 })
  })
})

describe("workers that start when they are used", () => {
  test("are none until the first connection, which waits for one of them", async () => {
    const shared = await share(2, { startsWhenUsed: true })
    shared.tell({ number: 1 })
    await shared.learned()
    await delay(50)
    expect(shared.ready).toBe(0)
    const answers = await Promise.all([ask(shared, "who"), ask(shared, "who", "second")])
    expect(answers).toEqual([expect.any(Number), expect.any(Number)])
    await until(() => shared.ready === 2)
    expect(new Set(await askInTurn(shared, "who", 4)).size).toBe(2)
  })

  test("are tried again, and logged, where they cannot start", async () => {
    const shared = await share(1, { startsWhenUsed: true, setup: { isFailing: true } })
    const asked = say(shared, "who")
    await until(() => logged.length >= 2)
    expect(logged.slice(0, 2)).toEqual(Array(2).fill("a worker ended and is being restarted: 1"))
    asked.destroy()
  })

  test("do not start once the listeners are closed", async () => {
    const shared = await share(1, { startsWhenUsed: true })
    await shared.close()
    expect(await ask(shared, "who")).toBeNull()
    expect(shared.ready).toBe(0)
  })
})

describe("closing", () => {
  test("lets requests in progress end, accepts nothing more, and leaves no process", async () => {
    const shared = await share(2)
    const workers = (await askInTurn(shared, "who", 2)) as number[]
    const slow = [say(shared, "slow"), say(shared, "slow")]
    // The space that comes first: the workers have got the requests.
    await Promise.all(slow.map((socket) => once(socket, "readable")))
    await shared.close()
    expect(await Promise.all(slow.map(answerOn))).toEqual(workers)
    expect(await ask(shared, "who")).toBeNull()
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow("ESRCH")
    expect(logged).toEqual([])
  })

  test("does not wait for a worker to be started again", async () => {
    const shared = await share(1)
    await ask(shared, "die")
    await until(() => logged.length > 0)
    await shared.close()
    expect(shared.ready).toBe(0)
  })
})

describe("starting", () => {
  test("fails with a helpful message where a worker cannot start, and frees the ports", async () => {
    const free = createServer().listen(0, HOST)
    await once(free, "listening")
    const address = free.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    free.close()
    await once(free, "close")
    await expect(share(2, { port, setup: { isFailing: true } })).rejects.toMatchObject({
      name: "WorkerNotStartedError",
      message: "A worker could not start: it ended with status 1. See its output above.",
    })
    free.listen(port, HOST)
    await once(free, "listening")
    free.close()
    expect(logged).toEqual([])
  })

  test("fails with EADDRINUSE where the port is taken, also when workers share it", async () => {
    const port = (await share(1)).portOf("first")
    await expect(share(1, { port })).rejects.toMatchObject({ code: "EADDRINUSE" })
  })
})
