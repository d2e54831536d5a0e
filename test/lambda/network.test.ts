import { createSocket } from "node:dgram"
import { once } from "node:events"
import { createServer as createHttpServer, type RequestListener } from "node:http"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { networkInterfaces } from "node:os"
import type { Outside } from "@sealway/local/testing/functions"
import { CONFINED_LEVELS } from "@sealway/local/testing/functions"
import { afterAll, beforeEach, describe, expect, test } from "vitest"
import { deploy, invoke, type Language, startHost } from "./local-host.ts"

/** A public address, which `outside` connects to a server of these tests. */
const PUBLIC = "93.184.215.14"
const LANGUAGES: readonly Language[] = ["node", "python"]

/** What was connected outside of the functions' networks. */
const dialed: string[] = []
const outerSockets: Socket[] = []
/** What reached a listener of this machine that no function may reach. */
const reached: string[] = []
beforeEach(() => {
  dialed.length = 0
  outerSockets.length = 0
  reached.length = 0
})

const redirect: RequestListener = (request, response) => {
  if (request.url === "/redirect") response.writeHead(302, { location: forbiddenUrl }).end()
  else if (request.method === "POST") request.pipe(response)
  else response.end(`reached ${request.headers.host}`)
}
const server = createHttpServer(redirect).listen(0, "127.0.0.1")
const forbidden = createServer(() => reached.push("tcp")).listen(0, "127.0.0.1")
/** Keeps each connection until the other side closes it, and sends nothing. */
const patient = createServer({ allowHalfOpen: true }, (socket) =>
  socket.resume().once("end", () => patient.emit("end")),
).listen(0, "127.0.0.1")
const datagrams = createSocket("udp4", () => reached.push("udp")).bind(0, "127.0.0.1")
const names = createSocket("udp4", (query, from) =>
  names.send(answerTo(query), from.port, from.address),
).bind(0, "127.0.0.1")
await Promise.all([server, forbidden, patient, datagrams, names].map((each) => once(each, "listening")))
const portOf = (each: { address(): AddressInfo | string | null }) => Object(each.address()).port
const forbiddenUrl = `http://127.0.0.1:${portOf(forbidden)}/`

const outside: Outside = {
  dial({ host, port }) {
    dialed.push(`${host}:${port}`)
    const ports = new Map([
      [81, 1],
      [82, portOf(patient)],
    ])
    const socket =
      host === PUBLIC ? connect(ports.get(port) ?? portOf(server), "127.0.0.1") : connect(port, host)
    outerSockets.push(socket)
    return socket
  },
  nameServers: () => [{ host: "127.0.0.1", port: portOf(names) }],
}
const service = await startHost({ outside, unconfinedFunctions: false })
const isGuarded = service.isolation.network === "public"
afterAll(async () => {
  await service.host.close()
  for (const each of [server, forbidden, patient, datagrams, names]) each.close()
})

/** Answers A queries: `inside.test` is at 127.0.0.1, every other name at `PUBLIC`. */
function answerTo(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5
  const isA = query.readUInt16BE(end - 4) === 1
  const address = query.includes("inside") ? [127, 0, 0, 1] : PUBLIC.split(".").map(Number)
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address])
  const header = Buffer.from([0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0])
  return Buffer.concat([query.subarray(0, 2), header, query.subarray(12, end), ...(isA ? [record] : [])])
}

const SOURCES: Readonly<Record<Language, readonly [file: string, source: string]>> = {
  node: [
    "main.mjs",
    `import * as fs from "node:fs"
    export const handler = async ({ url, body, file }) => {
      try {
        if (file) return fs.readFileSync(file, "utf8")
        const answer = await (await fetch(url, body ? { method: "POST", body: "x".repeat(body) } : {})).text()
        return body ? answer.length : answer
      } catch (error) { return { refused: error.cause?.code ?? error.code ?? error.name } }
    }`,
  ],
  python: [
    "main.py",
    `
import errno, socket, urllib.request
def handler(p, c):
    try:
        if "python" in p: return eval(p["python"])
        if "file" in p: return open(p["file"]).read()
        data = b"x" * p["body"] if "body" in p else None
        answer = urllib.request.urlopen(p["url"], data, timeout=10).read().decode()
        return len(answer) if data else answer
    except Exception as error:
        reason = getattr(error, "reason", error)
        return {"refused": errno.errorcode.get(getattr(reason, "errno", None), type(reason).__name__)}`,
  ],
}

async function run(
  language: Language,
  payload: unknown,
  { host } = service,
  more: object = {},
): Promise<unknown> {
  const name = `f-${crypto.randomUUID()}`
  const [file, source] = SOURCES[language]
  await deploy(host, language, name, file, { [file]: source })
  const context = { functionName: "f", runId: "r", app: "a", publicKey: {} }
  const { answer, log } = await invoke(host, name, { payload, context, ...more })
  await host.remove(name)
  logged = log
  return Reflect.get(Object(answer), "result") ?? answer
}
let logged = ""

/** Resolves when it is closed, also by a reset. */
const closed = (socket: Socket) =>
  new Promise<unknown>((resolve) => {
    if (socket.closed) resolve(null)
    else socket.on("error", resolve).once("close", resolve)
  })

const ownAddresses = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .flatMap(({ address, family, internal }) => (family === "IPv4" && !internal ? [address] : []))
/** With the port of the listener that must not be reached. */
const REFUSED_HOSTS = [
  "127.0.0.1",
  "127.8.8.8",
  "localhost",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "169.254.169.254",
  "[::ffff:169.254.169.254]",
  "[fd00:ec2::254]",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.0.1",
  "100.64.0.1",
  "[fd12::1]",
  "[fe80::1]",
  "192.0.2.1",
  "inside.test",
  ...ownAddresses,
]

describe.runIf(isGuarded).each(LANGUAGES)("a %s function with a network of its own", (language) => {
  test("reaches a public address, with its ordinary HTTP client", async () => {
    expect(await run(language, { url: `http://${PUBLIC}/` })).toBe(`reached ${PUBLIC}`)
    expect(dialed).toEqual([`${PUBLIC}:80`])
  })

  test("resolves names with this machine's name servers", async () => {
    expect(await run(language, { url: "http://outside.test:8080/" })).toBe("reached outside.test:8080")
    expect(dialed).toEqual([`${PUBLIC}:8080`])
  })

  test("sends and receives more than any buffer holds", async () => {
    expect(await run(language, { url: `http://${PUBLIC}/`, body: 8_000_000 })).toBe(8_000_000)
  })

  test.each(REFUSED_HOSTS)("does not reach %s", async (host) => {
    const answer = await run(language, { url: `http://${host}:${portOf(forbidden)}/` })

    expect(answer).toEqual({ refused: expect.any(String) })
    expect({ dialed, reached }).toEqual({ dialed: [], reached: [] })
  })

  test("does not follow a redirect to a loopback address", async () => {
    expect(await run(language, { url: `http://${PUBLIC}/redirect` })).toEqual({ refused: "EACCES" })
    expect({ dialed, reached }).toEqual({ dialed: [`${PUBLIC}:80`], reached: [] })
  })

  test("reads in its log why a connection was refused, and what would allow it", async () => {
    await run(language, { url: forbiddenUrl })
    expect(logged).toContain(`refused the connection to 127.0.0.1 port ${portOf(forbidden)}`)
    expect(logged).toContain("--function-network private")
    await run(language, { url: "http://169.254.169.254/" })
    expect(logged).not.toContain("--function-network")
  })

  test("has no address in its log once it got a value of a data subject", async () => {
    const silent = { isSilent: true }
    await run(language, { url: forbiddenUrl }, service, silent)
    expect(logged.split("\n")).toEqual([expect.stringContaining("It logs nothing more")])
    await run(language, { url: `http://${PUBLIC}:81/` }, service, silent)
    expect(logged.split("\n")).toEqual([expect.stringContaining("It logs nothing more")])
  })

  test("sees a reset, and the reason in its log, when the destination does not accept", async () => {
    expect(await run(language, { url: `http://${PUBLIC}:81/` })).toEqual({ refused: expect.any(String) })
    expect(logged).toContain(`Connecting to ${PUBLIC}:81 failed: ECONNREFUSED`)
  })

  test.each([
    "/proc/net/tcp",
    "/proc/self/net/unix",
    "/proc/self/mountinfo",
    "/proc/self/mounts",
    "/proc/1/mountinfo",
  ])("cannot read %s", async (file) => {
    expect(await run(language, { file })).toEqual({ refused: expect.any(String) })
  })
})

describe.runIf(isGuarded)("a function with a network of its own", () => {
  test("gains nothing by a connect that nobody was asked about", async () => {
    const MSG_FASTOPEN = 0x2000_0000
    const [socket, port] = ["socket.socket(socket.AF_INET, socket.SOCK_STREAM)", 8080]
    const python = `(lambda s, t: (s.connect(("${PUBLIC}", ${port})), t.sendto(b"x", ${MSG_FASTOPEN}, ("127.0.0.1", ${port})), t.recv(1)))(${socket}, ${socket})`

    expect(await run("python", { python })).toEqual({ refused: "ECONNRESET" })
    expect(dialed).toEqual([`${PUBLIC}:${port}`])
  })

  test("sends no datagrams to this machine", async () => {
    const python = `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", ${portOf(datagrams)}))`
    await run("python", { python })
    // A later datagram that does arrive shows that the first one did not.
    datagrams.send("x", portOf(datagrams), "127.0.0.1")
    await once(datagrams, "message")
    expect(reached).toEqual(["udp"])
  })

  test("sees no interface but its own", async () => {
    expect(await run("python", { python: "socket.if_nameindex()" })).toEqual([[1, "lo"]])
  })

  test("reaches a public address on the port of a refused one, and is refused as before", async () => {
    const hosts = ["127.0.0.1", "10.0.0.1", PUBLIC, "127.0.0.1", PUBLIC]
    const python = `[socket.socket(socket.AF_INET, socket.SOCK_STREAM).connect_ex((host, 80)) for host in ${JSON.stringify(hosts)}]`
    expect(await run("python", { python })).toEqual([13, 13, 0, 13, 0])
    expect(dialed).toEqual([`${PUBLIC}:80`, `${PUBLIC}:80`])
  })

  test("connects to 64 different ports, and to no more", async () => {
    const python = `[socket.socket(socket.AF_INET, socket.SOCK_STREAM).connect_ex(("${PUBLIC}", 2000 + n)) for n in range(66)]`
    const errors = await run("python", { python })
    expect([errors].flat().filter((error) => error === 0)).toHaveLength(64)
    expect([errors].flat().slice(64)).toEqual([24, 24])
  })

  test("has its connections closed outside when it ends", async () => {
    const python = `globals().update(held=socket.create_connection(("${PUBLIC}", 80)))`
    const opened = once(server, "connection")
    await run("python", { python })
    const [socket] = await opened
    await closed(socket)
  })

  test("has a connection closed outside when it ends, though it had nothing more to send", async () => {
    const python = `(globals().update(held=socket.create_connection(("${PUBLIC}", 82))), held.shutdown(socket.SHUT_WR))`
    const received = once(patient, "end")
    await run("python", { python })
    await received
    const [outer] = outerSockets
    if (outer === undefined) throw new Error("Nothing was connected")
    await closed(outer)
  })
})

describe.runIf(isGuarded)("with --function-network private", async () => {
  const own = await startHost({ outside, functionNetwork: "private" })
  afterAll(() => own.host.close())

  test.each(LANGUAGES)("a %s function reaches a loopback address of this machine", async (language) => {
    const url = `http://127.0.0.1:${portOf(server)}/`
    expect(await run(language, { url }, own)).toBe(`reached 127.0.0.1:${portOf(server)}`)
  })

  test.each(LANGUAGES)("a %s function reaches no metadata service", async (language) => {
    expect(await run(language, { url: "http://169.254.169.254/" }, own)).toEqual({ refused: "EACCES" })
    expect(dialed).toEqual([])
  })
})

describe.each(CONFINED_LEVELS)("confined by %s", (level) => {
  test("a function reaches nothing with --function-network none", async (context) => {
    const own = await startHost({
      confinementLevels: [level],
      functionNetwork: "none",
      unconfinedFunctions: false,
    })
    const { confinement, network, languages } = own.isolation
    for (const language of languages)
      expect(await run(language, { url: forbiddenUrl }, own)).toEqual({ refused: "EPERM" })
    await own.host.close()
    if (confinement !== level) return context.skip(`This machine has no confinement by ${level}.`)
    expect({ network, reached }).toEqual({ network: "none", reached: [] })
  })
})

test.each(["landlock", "seccomp"] as const)(
  "confinement by %s leaves the network open, says so, and refuses to start when it must not",
  async (level) => {
    const options = { confinementLevels: [level], unconfinedFunctions: false }
    const own = await startHost(options)
    expect(own.isolation.network).toBe("host")
    await own.host.close()
    if (own.isolation.languages.length > 0)
      await expect(startHost({ ...options, functionNetwork: "public" })).rejects.toMatchObject({
        code: "function-network-unavailable",
      })
  },
)

test("an explicit network is refused where functions run unconfined", async () => {
  const options = { confinementLevels: [], unconfinedFunctions: true }
  await expect(startHost({ ...options, functionNetwork: "none" })).rejects.toMatchObject({
    code: "function-network-unavailable",
  })
})
