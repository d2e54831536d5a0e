import type { ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { startLocalService } from "@sealway/local"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { serviceFlagsOf } from "../../scripts/node-flags.mjs"
import { type RelayDestination, startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { type Ready, type StartedProcess, startReady } from "../support/start.ts"
import { fileOf, isWorker, processTree, until, workersOf } from "../support/worker-processes.ts"

/** Workers of a started service, once the first connection has started them. */
async function startWorkersOf(child: ChildProcess, { relayUrl }: Ready): Promise<[number, ...number[]]> {
  await sendToRelay(relayUrl, { relayDomain: "unknown.localhost", headers: { connection: "close" } })
  const [first, ...others] = workersOf(child.pid)
  if (first === undefined) throw new Error("No worker was started")
  return [first, ...others]
}

async function createRelay({ url, apps: [app] }: Ready, destinationDomain: string): Promise<string> {
  const response = await fetch(`${url}/relays`, {
    method: "POST",
    headers: { "content-type": "application/json", "api-key": app?.apiKey ?? "" },
    body: JSON.stringify({ destinationDomain, routes: [] }),
  })
  const { relayDomain } = (await response.json()) as { relayDomain: string }
  return relayDomain
}

const statusOf = async ({ relayUrl }: Ready, relayDomain: string) =>
  (await sendToRelay(relayUrl, { relayDomain, headers: { connection: "close" } })).status

describe.skipIf(process.platform !== "linux")("npm start with 2 workers", { timeout: 90_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "sealway-"))
  const inFlight = Promise.withResolvers<void>()
  const mayAnswer = Promise.withResolvers<void>()
  let destination: RelayDestination
  let started: StartedProcess & { readonly ready: Ready }
  let relayDomain: string

  beforeAll(async () => {
    destination = await startRelayDestination(async (request, response) => {
      if (request.target === "/late") {
        inFlight.resolve()
        await mayAnswer.promise
      }
      response.writeHead(200).end("answered")
    })
    process.env.SEALWAY_TEST_SECRET = "not-for-workers"
    started = await startReady(folder, ["--workers", "2"]).finally(() => {
      delete process.env.SEALWAY_TEST_SECRET
    })
    relayDomain = await createRelay(started.ready, destination.destinationDomain)
  })
  afterAll(async () => {
    started.child.kill("SIGKILL")
    await destination[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  test("starts as many at the first connection, with its flags and nothing of its environment", async () => {
    expect(workersOf(started.child.pid)).toEqual([])
    const workers = await startWorkersOf(started.child, started.ready)
    expect(workers).toHaveLength(2)
    const flags = serviceFlagsOf(process.versions.node)
    for (const pid of [started.child.pid ?? 0, ...workers]) {
      expect(fileOf(pid, "cmdline").split("\0")).toEqual(expect.arrayContaining([...flags]))
    }
    for (const pid of workers) {
      const names = fileOf(pid, "environ")
        .split("\0")
        .map((each) => each.split("=")[0])
      expect(names.filter((name) => !/^(NODE_|SSL_CERT_|TZ$|MALLOC_|$)/.test(name ?? ""))).toEqual([])
    }
  })

  test("continues while one of them is killed, says so, and starts it again", async () => {
    const { ready, child, stdout, stderr } = started
    const [killed] = await startWorkersOf(child, ready)
    process.kill(killed, "SIGKILL")
    await until(() => !isWorker(killed))
    for (let time = 0; time < 4; time++) expect(await statusOf(ready, relayDomain)).toBe(200)
    await until(() => workersOf(child.pid).length === 2)
    expect(workersOf(child.pid)).not.toContain(killed)
    expect(`${stdout()}${stderr()}`).toContain("a worker ended and is being restarted")
  })

  test("lets requests in progress end when it is told to stop, and leaves no worker behind", async () => {
    const { ready, child, stop } = started
    const workers = workersOf(child.pid)
    const answer = sendToRelay(ready.relayUrl, { relayDomain, path: "/late" })
    await inFlight.promise
    const stopped = stop("SIGTERM")
    await untilRefused(ready.relayUrl)
    mayAnswer.resolve()
    expect((await answer).body.toString()).toBe("answered")
    expect(await stopped).toBe(0)
    expect(workers.filter(isWorker)).toEqual([])
  })

  test("leaves no worker behind when it is killed, and nothing listens", async () => {
    const { ready, child, stop } = await startReady(folder, ["--workers", "2"])
    const workers = await startWorkersOf(child, ready)
    const [service = 0] = processTree(child.pid ?? 0).filter((pid) =>
      /--handed-over/.test(fileOf(pid, "cmdline")),
    )
    process.kill(service === 0 ? (child.pid ?? 0) : service, "SIGKILL")
    await untilRefused(ready.relayUrl)
    await until(() => !workers.some(isWorker))
    await stop()
  })
})

describe.skipIf(process.platform !== "linux")("a service", () => {
  const options = { port: 0, dataFolder: null, hosting: "container" } as const

  test("starts no worker for 1", async () => {
    const service = await startLocalService({ ...options, workers: 1 })
    expect(workersOf(process.pid)).toEqual([])
    await service.close()
  })

  test("starts no worker when the relays' port is in use", async () => {
    const holder = await startLocalService(options)
    const relayPort = Number(new URL(holder.relayUrl).port)
    const refused = startLocalService({ ...options, relayPort, workers: 2 })
    await expect(refused).rejects.toMatchObject({ code: "EADDRINUSE", port: relayPort })
    expect(workersOf(process.pid)).toEqual([])
    await holder.close()
  })
})

/** Resolves when connections are refused. */
async function untilRefused(url: string): Promise<void> {
  const { port, hostname } = new URL(url)
  for (;;) {
    const socket = connect(Number(port), hostname)
    const isRefused = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(false)).once("error", () => resolve(true))
    })
    socket.destroy()
    if (isRefused) return
    await delay(20)
  }
}
