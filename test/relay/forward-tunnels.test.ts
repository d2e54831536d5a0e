import { readFile } from "node:fs/promises"
import type { Socket } from "node:net"
import { findApiKeyById, findApp, replaceApiKey, replaceApp } from "@sealway/accounts"
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest"
import { basic, type ForwardWorld, startForwardWorld } from "./forward-world.ts"
import { exchange } from "./raw-exchange.ts"

const MAX_HANDSHAKES = 8
let world: ForwardWorld

beforeAll(async () => {
  world = await startForwardWorld({ maxHandshakes: MAX_HANDSHAKES })
  await world.addRelay(world.sandbox.app, "api.example.com")
  await world.addRelay(world.production.app, "api.example.com")
})
afterAll(() => world.close())

const GET = "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n"
const connect = (auth = world.sandbox.auth) =>
  world.connect("api.example.com:443", [`Proxy-Authorization: ${basic(auth)}`])
const tunnel = async (auth = world.sandbox.auth) =>
  world.secure((await connect(auth)).socket, "api.example.com")

/**
 * Counts the connections that the proxy holds, as Linux lists them: orphans, which have no descriptor, have no inode.
 */
async function held(): Promise<number> {
  const port = world.port.toString(16).toUpperCase().padStart(4, "0")
  const lines = (await readFile("/proc/self/net/tcp", "utf8")).trim().split("\n").slice(1)
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, remote, , , , , , , inode]) => {
      return local?.endsWith(`:${port}`) && !remote?.endsWith(":0000") && inode !== "0"
    }).length
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50))
}

describe("tunnels", () => {
  test.runIf(process.platform === "linux")(
    "leave no descriptor behind, however their clients leave",
    async () => {
      for (let round = 0; round < 20; round++) {
        // Before the answer to CONNECT, after it, in the middle of TLS, after TLS, and in a request.
        const early = await world.open()
        early.write("CONNECT api.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        early.destroy()
        const half = await world.open()
        half.resume().end("CONNECT api.example.com:443 HTTP/1.1\r\nHost: x\r\n")
        const opened = await connect()
        opened.socket.resetAndDestroy()
        const begun = await connect()
        begun.socket.write(Buffer.from([0x16, 3, 1]))
        begun.socket.destroy()
        const secured = await tunnel()
        secured.write("POST / HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 10\r\n\r\nabc")
        secured.destroy()
        const refused = await world.connect("unknown.example.com:443")
        refused.socket.destroy()
      }
      await until(async () => (await held()) === 0)
      expect(world.logged).toEqual([])
    },
  )

  test("stay available to clients that use them while others open many and do nothing", async () => {
    const idle: Socket[] = []
    for (let opened = 0; opened < 3 * MAX_HANDSHAKES; opened++) idle.push((await connect()).socket)
    const answer = await exchange(await tunnel(), GET)
    expect(answer.status).toBe(200)
    await until(async () => idle.slice(0, 2 * MAX_HANDSHAKES).every(({ destroyed }) => destroyed))
    for (const socket of idle) socket.destroy()
  })

  test("are not opened on a connection that still waits for answers: it is closed", async () => {
    await world.addRelay(world.sandbox.app, "http://plain.example.com")
    const socket = await world.open()
    const auth = `Proxy-Authorization: ${world.sandbox.auth.key}\r\n`
    const get = `GET http://plain.example.com/ HTTP/1.1\r\nHost: plain.example.com\r\n${auth}\r\n`
    socket.write(`${get}CONNECT api.example.com:443 HTTP/1.1\r\nHost: x\r\n${auth}\r\n`)
    const received = Buffer.concat(await Array.fromAsync(socket)).toString()
    expect(received).not.toContain("Connection Established")
  })

  test("carry no more requests once the key is revoked, or the app disabled", async () => {
    const { configTable, keysTable } = world.platform
    const { auth, app: ofKey } = world.production
    const { id: appId, teamId } = ofKey
    const withKey = GET.replace(/\r\n\r\n$/, `\r\nProxy-Authorization: ${auth.key}\r\n\r\n`)
    const revoked = await tunnel(auth)
    const disabled = await tunnel()
    const anonymous = await world.secure(
      (await world.connect("api.example.com:443")).socket,
      "api.example.com",
    )
    expect(await exchange(anonymous, withKey)).toMatchObject({ status: 200 })
    expect(await exchange(disabled, GET)).toMatchObject({ status: 200 })
    const { credentials } = JSON.parse((await exchange(revoked, GET)).body)

    const key = await findApiKeyById(keysTable, { teamId, appId }, credentials.apiKeyId)
    const app = await findApp(configTable, world.sandbox.app.id)
    if (key === null || app === null) throw new Error("The key or the app is not stored")
    expect(await replaceApiKey(keysTable, { ...key, revokedAt: 1 })).not.toBeNull()
    expect(await replaceApp(configTable, { ...app, status: "disabled" })).not.toBeNull()

    // Cached for 10 seconds, by the monotonic clock.
    const now = performance.now.bind(performance)
    vi.spyOn(performance, "now").mockImplementation(() => now() + 10_001)
    onTestFinished(() => void vi.restoreAllMocks())
    const isRefused = async (socket: Socket, request: string) =>
      (await exchange(socket, request)).code === "proxy-auth-failed"
    await until(() => isRefused(revoked, GET))
    await until(() => isRefused(anonymous, withKey))
    await until(() => isRefused(disabled, GET))
    expect(await connect()).toMatchObject({ status: 407, code: "proxy-auth-failed" })
    expect(await connect(world.production.auth)).toMatchObject({ status: 407, code: "proxy-auth-failed" })
  })
})

describe("a proxy", () => {
  let other: ForwardWorld
  beforeAll(async () => {
    other = await startForwardWorld({ maxTunnels: 3 })
    await other.addRelay(other.sandbox.app, "api.example.com")
  })
  afterAll(() => other.close())
  const open = () =>
    other.connect("api.example.com:443", [`Proxy-Authorization: ${basic(other.sandbox.auth)}`])

  test("refuses tunnels with service-unavailable beyond their limit, and accepts them again below it", async () => {
    const tunnels: Socket[] = []
    for (let opened = 0; opened < 3; opened++) tunnels.push((await open()).socket)
    expect(await open()).toMatchObject({ status: 503, code: "service-unavailable" })
    for (const socket of tunnels) socket.destroy()
    await until(async () => (await open()).status === 200)
  })

  test("answers internal-server-error, and logs it, where a look-up fails", async () => {
    const { socket } = await open()
    const secured = await other.secure(socket, "api.example.com")
    const failing = vi.spyOn(other.relays, "byDestination").mockRejectedValue(new Error("There is no table"))
    expect(await open()).toMatchObject({ status: 500, code: "internal-server-error" })
    expect(await exchange(secured, GET)).toMatchObject({ status: 500, code: "internal-server-error" })
    expect(other.logged).toEqual(["could not open a tunnel", "could not admit a request"])
    failing.mockRestore()
    expect(await exchange(secured, GET)).toMatchObject({ status: 200 })
    secured.destroy()
  })

  test("answers the requests in progress in tunnels when it closes, and accepts nothing else", async () => {
    const { socket } = await open()
    const secured = await other.secure(socket, "api.example.com")
    secured.write("POST / HTTP/1.1\r\nHost: api.example.com\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
    await until(async () => other.seen.at(-1)?.method === "POST")
    const idle = await open()
    const closed = other.proxy.close()
    const answer = await exchange(secured, "2\r\ncd\r\n0\r\n\r\n")
    expect(JSON.parse(answer.body)).toMatchObject({ body: "abcd" })
    await closed
    await until(async () => idle.socket.resume().destroyed)
    await expect(other.open()).rejects.toMatchObject({ code: "ECONNREFUSED" })
  })
})
