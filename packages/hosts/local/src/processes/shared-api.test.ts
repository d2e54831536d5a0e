import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { expect, onTestFinished, test, vi } from "vitest"
import { CONTAINER_LIMITS, createGateway, type GatewayLimits } from "../gateway/index.ts"
import { listenForApi, watchLoad } from "./shared-api.ts"

const HOST = "127.0.0.1"

function newGateway(limits: Partial<GatewayLimits> = {}) {
  return createGateway({
    routes: [{ method: "GET", path: "/", functionName: "get", handler: async () => ({ statusCode: 204 }) }],
    answerUnknown: () => ({ statusCode: 404 }),
    limits: { ...CONTAINER_LIMITS, drainTimeoutMs: 100, ...limits },
    cors: null,
    onError: () => undefined,
  })
}

/** Workers that count what they are told, and hold the connections that they are handed. */
function countingWorkers() {
  const held: Socket[] = []
  const workers = {
    ready: 0,
    wake: vi.fn(),
    hand: vi.fn(({ socket }: { readonly socket: Socket }) => void held.push(socket)),
  }
  onTestFinished(() => {
    for (const socket of held) socket.destroy()
  })
  return workers
}

/** A client that keeps its connection. */
async function connectTo(port: number) {
  const socket = connect(port, HOST)
  onTestFinished(() => void socket.destroy())
  await once(socket, "connect")
  return {
    async ask(): Promise<string> {
      socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}:${port}\r\n\r\n`)
      const [answer] = await once(socket, "data")
      return String(answer)
    },
    closed: () => once(socket, "close"),
  }
}

test("a connection goes to workers while one of them is ready, and is served here otherwise", async () => {
  const gateway = newGateway()
  const api = await listenForApi(gateway, { port: 0, host: HOST })
  const workers = countingWorkers()
  api.shareWith(workers)
  expect(await (await connectTo(api.port)).ask()).toContain("204 No Content")
  expect(workers.hand).not.toHaveBeenCalled()

  workers.ready = 1
  await connectTo(api.port)
  await expect.poll(() => workers.hand.mock.calls.length, { timeout: 10_000 }).toBe(1)
  workers.ready = 0
  expect(await (await connectTo(api.port)).ask()).toContain("204 No Content")
  expect(workers.hand).toHaveBeenCalledTimes(1)
  await api.close()
  await gateway.close()
})

test("connections from before workers are ready end with their next answer, which says so", async () => {
  const gateway = newGateway()
  const api = await listenForApi(gateway, { port: 0, host: HOST })
  const client = await connectTo(api.port)
  expect(await client.ask()).toContain("Connection: keep-alive")
  gateway.releaseConnections()
  const closed = client.closed()
  expect(await client.ask()).toContain("connection: close\r\n")
  await closed
  await api.close()
  await gateway.close()
})

test("connections beyond the limit are refused, and closed without an answer where too many are being refused", async () => {
  const gateway = newGateway({ maxConnections: 1, lingerMs: 60_000 })
  const api = await listenForApi(gateway, { port: 0, host: HOST })
  let refused = 0
  let closed = 0
  for (let clients = 0; clients < 1 + 256 + 3; clients++) {
    const socket = connect({ port: api.port, host: HOST, allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    socket.on("error", () => undefined)
    socket.resume().once("end", () => {
      if (socket.bytesRead > 0) refused += 1
      else closed += 1
    })
  }
  await expect.poll(() => [refused, closed], { timeout: 10_000 }).toEqual([256, 3])
  await api.close()
  await gateway.close()
})

test("listening fails with EADDRINUSE where the port is taken", async () => {
  const first = await listenForApi(newGateway(), { port: 0, host: HOST })
  await expect(listenForApi(newGateway(), { port: first.port, host: HOST })).rejects.toMatchObject({
    code: "EADDRINUSE",
  })
  await first.close()
})

test("two busy seconds in a row start the workers, and no shorter or interrupted load does", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const workers = countingWorkers()
  const releaseConnections = vi.fn()
  let utilization = 0
  const watch = watchLoad(workers, { releaseConnections }, () => utilization)
  onTestFinished(() => clearInterval(watch))
  for (const busy of [0.9, 0.4, 0.9, 0.5]) {
    utilization = busy
    vi.advanceTimersByTime(1_000)
  }
  expect(workers.wake).not.toHaveBeenCalled()
  utilization = 0.6
  vi.advanceTimersByTime(2_000)
  expect(workers.wake).toHaveBeenCalled()
  expect(releaseConnections).not.toHaveBeenCalled()
  workers.ready = 1
  vi.advanceTimersByTime(1_000)
  expect(releaseConnections).toHaveBeenCalled()
})
