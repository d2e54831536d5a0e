import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { idOf, newSlug, policyOf } from "../support/policies.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { type Ready, type StartedProcess, startReady } from "../support/start.ts"
import { fileOf, isWorker, socketsOf, tcpSockets, until, workersOf } from "../support/worker-processes.ts"

const WORKERS = 2
/** For so long a process may remember an API key. */
const CONFIGURATION_TTL_MS = 10_000

interface Answer {
  readonly status: number
  readonly text: string
}

interface Call {
  readonly method?: string
  /** Default: the first app's. */
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Default: a new connection. */
  readonly agent?: Agent
}

describe.skipIf(process.platform !== "linux")("an API with 2 workers", { timeout: 90_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "sealway-"))
  let started: StartedProcess & { readonly ready: Ready }

  async function call(path: string, body?: unknown, options: Call = {}): Promise<Answer> {
    const { url, apps } = started.ready
    const {
      method = body === undefined ? "GET" : "POST",
      key = apps[0]?.apiKey ?? "",
      headers,
      agent,
    } = options
    const sent = request(url + path, {
      method,
      agent: agent ?? false,
      headers: { "api-key": key, "content-type": "application/json", ...headers },
    }).end(typeof body === "string" || body === undefined ? body : JSON.stringify(body))
    const [answer] = await once(sent, "response")
    return { status: answer.statusCode ?? 0, text: await text(answer) }
  }

  /** Calls as often as there are workers, each time on a new connection, which another worker gets. */
  async function callEach(...request: Parameters<typeof call>): Promise<readonly Answer[]> {
    const answers: Answer[] = []
    for (let worker = 0; worker < WORKERS; worker++) answers.push(await call(...request))
    return answers
  }
  const statusesOf = async (...request: Parameters<typeof call>) =>
    (await callEach(...request)).map(({ status }) => status)
  const each = <Value>(value: Value) => Array<Value>(WORKERS).fill(value)

  async function sampleOf(name: string): Promise<number> {
    const { text: metrics } = await call("/metrics")
    return Number(
      metrics
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.split(" ")[1] ?? 0,
    )
  }
  const allReady = () => until(async () => (await sampleOf("sealway_workers")) === WORKERS)

  /** Creates a role whose values may be decrypted, and returns a token of it and its policy. */
  async function newPermittedToken(conditions: object = {}) {
    const role = newSlug()
    await call("/data-roles", { slug: role, name: "A role" })
    const { text: policy } = await call("/data-policies", policyOf(role, { conditions }))
    const headers = { "x-service-data-role": role }
    return {
      role,
      policyId: idOf(JSON.parse(policy)),
      token: (await call("/encrypt", '"value"', { headers })).text,
    }
  }

  beforeAll(async () => {
    started = await startReady(folder, ["--workers", String(WORKERS)])
    // Starts the workers, as load on the API does.
    await sendToRelay(started.ready.relayUrl, { relayDomain: "unknown.localhost" })
    await allReady()
  }, 90_000)
  afterAll(() => {
    started.child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  })

  /** Refused from when it is revoked, or 10 seconds later. */
  let revoked: { readonly key: string; readonly atMs: number }

  test("has each worker hold its share of the connections", async () => {
    const agents = each(null).map(() => new Agent({ keepAlive: true }))
    const idle = () =>
      agents.flatMap(({ freeSockets }) => Object.values(freeSockets).flatMap((some) => some ?? []))
    for (const agent of agents) expect((await call("/keys", undefined, { agent })).status).toBe(200)
    await until(() => idle().length === WORKERS)
    const ports = idle().map((socket) => socket.localPort)
    const ours = tcpSockets().filter(({ remotePort }) => ports.includes(remotePort))
    const held = workersOf(started.child.pid).map(
      (pid) => ours.filter(({ inode }) => socketsOf(pid).includes(inode)).length,
    )
    expect(held).toEqual(each(1))
    for (const agent of agents) agent.destroy()
  })

  test("ends credentials on every worker within 10 seconds", async () => {
    const { teamKey: key, apps } = started.ready
    const path = `/apps/${apps[0]?.id}/api-keys`
    const { text: created } = await call(path, { name: "Short", scopes: ["*"] }, { key })
    const issued = z.object({ id: z.string(), key: z.string() }).parse(JSON.parse(created))
    expect(await statusesOf("/encrypt", '"value"', { key: issued.key })).toEqual(each(200))
    const { status } = await call(`${path}/${issued.id}`, undefined, { key, method: "DELETE" })
    expect(status).toBeLessThan(300)
    // The rest of this test is the last of this file, which need not wait then.
    revoked = { key: issued.key, atMs: performance.now() }
  })

  test("answers the same from each worker, which opens what the others seal", async () => {
    const [one, other] = await callEach("/encrypt", { card: "4242424242424242" })
    const opened = each({ status: 200, text: '{"card":"4242424242424242"}' })
    expect(await callEach("/decrypt", one?.text)).toEqual(opened)
    expect(await callEach("/decrypt", other?.text)).toEqual(opened)
    const [rewrapped] = await callEach("/rewrap", one?.text)
    expect(await callEach("/decrypt", rewrapped?.text)).toEqual(opened)
    const { card: token } = z.object({ card: z.string() }).parse(JSON.parse(one?.text ?? ""))
    const alike = [
      await callEach("/fingerprint", { token }),
      await callEach("/keys"),
      await callEach("/health"),
      await callEach("/data-roles"),
      await callEach("/nowhere"),
      await callEach("/decrypt", '{"card":', { key: "wrong" }),
    ]
    for (const [first, second] of alike) expect(second).toEqual(first)
    expect(alike.map(([first]) => first?.status)).toEqual([200, 200, 200, 200, 404, 401])

    const issued = await call("/client-side-tokens", { action: "api:decrypt", payload: { card: token } })
    const { token: jwt } = z.object({ token: z.string() }).parse(JSON.parse(issued.text))
    const { url } = started.ready
    for (let worker = 0; worker < WORKERS; worker++) {
      const headers = {
        authorization: `Token ${jwt}`,
        "content-type": "application/json",
        connection: "close",
      }
      const body = JSON.stringify({ card: token })
      expect((await fetch(`${url}/decrypt`, { method: "POST", headers, body })).status).toBe(200)
    }
  })

  test("makes a request with an idempotency key once, whichever worker it is repeated at", async () => {
    const headers = { "idempotency-key": "once" }
    const wanted = { action: "api:decrypt", payload: { a: 1 } }
    const [one, other] = await callEach("/client-side-tokens", wanted, { headers })
    expect(one?.status).toBe(201)
    expect(other).toEqual(one)
    expect(await statusesOf("/client-side-tokens", { ...wanted, payload: 2 }, { headers })).toEqual(each(409))
  })

  test("decrypts no more values than a budget allows, and counts each request once", async () => {
    const { token } = await newPermittedToken({ budget: { values: 5, per: "day" } })
    const name = 'sealway_requests_total{endpoint="decrypt"}'
    const before = await sampleOf(name)
    const statuses = (
      await Promise.all(each(null).flatMap(() => Array.from({ length: 6 }, () => call("/decrypt", token))))
    )
      .map(({ status }) => status)
      .sort()
    expect(statuses).toEqual([...Array(5).fill(200), ...Array(7).fill(403)])
    expect((await sampleOf(name)) - before).toBe(12)
  })

  test("applies a deleted policy, and an erasure, on every worker before it answers", async () => {
    const { token, policyId } = await newPermittedToken()
    expect(await statusesOf("/decrypt", token)).toEqual(each(200))
    await call(`/data-policies/${policyId}`, undefined, { method: "DELETE" })
    expect(await statusesOf("/decrypt", token)).toEqual(each(403))

    const headers = { "x-service-data-subject": "customer-1" }
    const { text: sealed } = await call("/encrypt", '"Ada"', { headers })
    expect(await statusesOf("/decrypt", sealed)).toEqual(each(200))
    const { text: found } = await call("/data-subjects", undefined, { headers })
    const { data } = z
      .object({ data: z.array(z.object({ id: z.string() })).length(1) })
      .parse(JSON.parse(found))
    const erased = await call(`/data-subjects/${data[0]?.id}`, undefined, { method: "DELETE" })
    expect(erased.status).toBeLessThan(300)
    expect(await statusesOf("/decrypt", sealed)).toEqual(each(422))
  })

  test("loses nothing that it acknowledged when a worker is killed under load", async () => {
    const { role, token } = await newPermittedToken()
    await call(`/data-roles/${role}`, { accessLog: "strict" }, { method: "PATCH" })
    const [killed = 0] = workersOf(started.child.pid)
    const sealed: string[] = []
    let decrypted = 0
    let unanswered = 0
    let subjects = 0
    let isKilled = false
    async function load(): Promise<void> {
      while (sealed.length < 60) {
        const headers = { "x-service-data-subject": `subject-${subjects++}` }
        try {
          const { status, text: value } = await call("/encrypt", '"Ada"', { headers })
          if (status === 200) sealed.push(value)
          if ((await call("/decrypt", token)).status === 200) decrypted++
        } catch {
          unanswered++
        }
        if (sealed.length >= 30 && !isKilled) isKilled = process.kill(killed, "SIGKILL")
      }
    }
    await Promise.all(Array.from({ length: 8 }, load))
    await until(() => !isWorker(killed))
    // Only what was in progress there had no answer.
    expect(unanswered).toBeLessThanOrEqual(8)
    for (const value of sealed) expect(await call("/decrypt", value)).toEqual({ status: 200, text: '"Ada"' })
    const { text: log } = await call("/audit-logs?limit=100&action=decryption.performed", undefined, {
      key: started.ready.teamKey,
    })
    const { data } = z.object({ data: z.array(z.object({ action: z.string() })) }).parse(JSON.parse(log))
    expect(decrypted).toBeGreaterThan(30)
    expect(data.length).toBeGreaterThanOrEqual(decrypted)
    await allReady()
    expect(workersOf(started.child.pid)).not.toContain(killed)
    expect(`${started.stdout()}${started.stderr()}`).toContain("a worker ended and is being restarted")
  })

  test("refuses ended credentials on every worker 10 seconds later", async () => {
    await delay(Math.max(0, revoked.atMs + CONFIGURATION_TTL_MS - performance.now()))
    expect(await statusesOf("/encrypt", '"value"', { key: revoked.key })).toEqual(each(401))
  })

  test("completes requests that are arriving when it is told to stop, and leaves no process behind", async () => {
    const workers = workersOf(started.child.pid)
    const { url, apps } = started.ready
    const { hostname, port, host } = new URL(url)
    const sockets = each(null).map(() => connect(Number(port), hostname))
    for (const socket of sockets) {
      socket.write(
        `POST /encrypt HTTP/1.1\r\nHost: ${host}\r\nApi-Key: ${apps[0]?.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n`,
      )
      expect(String((await once(socket, "data"))[0])).toContain("100 Continue")
    }
    const stopped = started.stop("SIGTERM")
    await until(() => !isListening(started.child.pid ?? 0, Number(port)))
    for (const socket of sockets) {
      const answer = text(socket)
      socket.write('"a"')
      expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"ev:/)
    }
    expect(await stopped).toBe(0)
    expect(workers.filter(isWorker)).toEqual([])
  })
})

/** Whether a port of this machine is listened on. */
function isListening(pid: number, port: number): boolean {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  return fileOf(pid, "net/tcp")
    .split("\n")
    .some((line) => line.includes(`${local} 00000000:0000 0A`))
}
