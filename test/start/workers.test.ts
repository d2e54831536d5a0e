import type { ChildProcess } from "node:child_process"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { type Ready, type StartedProcess, start, startReady, withFolder } from "../support/start.ts"

const WORKER = /relays\/worker\.ts\0/

/** Workers of a started service, by their process ids. */
function workersOf(child: ChildProcess): number[] {
  return processTree(child.pid ?? 0).filter((pid) => WORKER.test(fileOf(pid, "cmdline")))
}

function processTree(pid: number): number[] {
  const children = fileOf(pid, `task/${pid}/children`).trim()
  return [pid, ...(children === "" ? [] : children.split(" ").flatMap((each) => processTree(Number(each))))]
}

/** Empty where the process has ended. */
function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8")
  } catch {
    return ""
  }
}

const isRunning = (pid: number) => WORKER.test(fileOf(pid, "cmdline"))

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(20)
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

describe.skipIf(process.platform !== "linux")("npm start with workers", { timeout: 90_000 }, () => {
  test("starts as many as it is told, none with 1, and ends them when it stops", () =>
    withFolder(async (folder) => {
      const { child, stop, stderr } = await startReady(folder, ["--workers", "2"])
      const workers = workersOf(child)
      expect(workers).toHaveLength(2)
      expect(await stop("SIGTERM")).toBe(0)
      expect(workers.filter(isRunning)).toEqual([])
      expect(stderr()).toBe("")

      const alone = await startReady(folder, ["--workers", "1"])
      expect(workersOf(alone.child)).toEqual([])
      await alone.stop()
    }))

  test("gives them nothing of its environment and no key in their arguments", () =>
    withFolder(async (folder) => {
      process.env.SEALWAY_TEST_SECRET = "not-for-workers"
      const { child, stop } = await startReady(folder, ["--workers", "2"]).finally(() => {
        delete process.env.SEALWAY_TEST_SECRET
      })
      for (const pid of workersOf(child)) {
        const names = fileOf(pid, "environ")
          .split("\0")
          .map((each) => each.split("=")[0])
        expect(names.filter((name) => !/^(NODE_|SSL_CERT_|TZ$|$)/.test(name ?? ""))).toEqual([])
      }
      await stop()
    }))

  test("goes on while one of them is killed, says so, and starts it again", () =>
    withFolder(async (folder) => {
      await using destination = await startRelayDestination()
      const { ready, child, stop, stdout, stderr } = await startReady(folder, ["--workers", "2"])
      const relayDomain = await createRelay(ready, destination.destinationDomain)
      const [killed = 0] = workersOf(child)
      process.kill(killed, "SIGKILL")
      await until(() => !isRunning(killed))
      for (let time = 0; time < 4; time++) expect(await statusOf(ready, relayDomain)).toBe(200)
      await until(() => workersOf(child).length === 2)
      expect(workersOf(child)).not.toContain(killed)
      expect(`${stdout()}${stderr()}`).toContain("a relay worker has ended, and is started again")
      expect(await stop()).toBe(0)
    }))

  test("lets requests in flight end when it is told to stop", () =>
    withFolder(async (folder) => {
      const inFlight = Promise.withResolvers<void>()
      const mayAnswer = Promise.withResolvers<void>()
      await using destination = await startRelayDestination(async (_request, response) => {
        inFlight.resolve()
        await mayAnswer.promise
        response.writeHead(200).end("late")
      })
      const { ready, stop } = await startReady(folder, ["--workers", "2"])
      const relayDomain = await createRelay(ready, destination.destinationDomain)
      const answer = sendToRelay(ready.relayUrl, { relayDomain })
      await inFlight.promise
      const stopped = stop("SIGTERM")
      await untilRefused(ready.relayUrl)
      mayAnswer.resolve()
      expect((await answer).body.toString()).toBe("late")
      expect(await stopped).toBe(0)
    }))

  test("leaves none of them behind when it is killed, and nobody listens", () =>
    withFolder(async (folder) => {
      const { ready, child, stop } = await startReady(folder, ["--workers", "2"])
      const workers = workersOf(child)
      const [service = 0] = processTree(child.pid ?? 0).filter((pid) =>
        /--handed-over/.test(fileOf(pid, "cmdline")),
      )
      process.kill(service === 0 ? (child.pid ?? 0) : service, "SIGKILL")
      await untilRefused(ready.relayUrl)
      await until(() => !workers.some(isRunning))
      await stop()
    }))

  test("says so when the relays' port is in use, and starts no worker", () =>
    withFolder(async (folder) => {
      const holder = await startReady(`${folder}/a`, ["--workers", "1"])
      const { port } = new URL(holder.ready.relayUrl)
      const args = ["--port", "0", "--relay-port", port, "--data", `${folder}/b`, "--workers", "2"]
      const refused: StartedProcess = start(args)
      expect(await refused.ended()).toBe(1)
      expect(refused.stderr()).toMatch(/^Port \d+, for relays, is in use.*--relay-port/)
      await holder.stop()
    }))
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
