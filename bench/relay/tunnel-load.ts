import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { CONNECTIONS } from "../http-load.ts"

export interface TunnelTarget {
  /** The proxy's port. */
  readonly proxyPort: number
  /** Header lines of the CONNECT request, each ended by CRLF. */
  readonly connectHeaders: string
  readonly host: string
  readonly port: number
  /** PEM of the issuer that the tunnel's certificate must have. */
  readonly authority: string
  readonly body: string
}

/** Opens 32 tunnels through a forward proxy and sends POST requests one after another in each. @returns answers a second */
export async function tunnelRequestsPerSecond(target: TunnelTarget, seconds: number): Promise<number> {
  const tunnels = await Promise.all(Array.from({ length: CONNECTIONS }, () => openTunnel(target)))
  const startedMs = performance.now()
  const untilMs = startedMs + seconds * 1000
  const counts = await Promise.all(tunnels.map((tunnel) => sendUntil(tunnel, requestOf(target), untilMs)))
  const elapsedSeconds = (performance.now() - startedMs) / 1000
  for (const tunnel of tunnels) tunnel.destroy()
  return counts.reduce((total, count) => total + count, 0) / elapsedSeconds
}

async function openTunnel({
  proxyPort,
  connectHeaders,
  host,
  port,
  authority,
}: TunnelTarget): Promise<TLSSocket> {
  const socket: Socket = connect(proxyPort, "127.0.0.1")
  await once(socket, "connect")
  socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n${connectHeaders}\r\n`)
  const [answer] = await once(socket, "data")
  if (!/^HTTP\/1\.1 200 /.test(String(answer)))
    throw new Error(`No tunnel: ${String(answer).split("\r\n")[0]}`)
  const tunnel = connectTls({ socket, servername: host, ca: authority })
  await once(tunnel, "secureConnect")
  return tunnel
}

function requestOf({ host, port, body }: TunnelTarget): Buffer {
  const head = `POST / HTTP/1.1\r\nHost: ${host}:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  return Buffer.from(head + body)
}

function sendUntil(tunnel: TLSSocket, request: Buffer, untilMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let answers = 0
    let rest: Buffer = Buffer.alloc(0)
    tunnel.on("error", reject)
    tunnel.on("close", () => reject(new Error("The tunnel was closed")))
    tunnel.on("data", (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const end = endOfAnswer(rest)
      if (end === null || rest.length < end) return
      answers++
      rest = rest.subarray(end)
      if (performance.now() < untilMs) tunnel.write(request)
      else resolve(answers)
    })
    tunnel.write(request)
  })
}

/** Returns where the first answer in the bytes ends; null while its head is not complete. */
function endOfAnswer(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf("\r\n\r\n")
  if (headEnd === -1) return null
  const head = bytes.toString("latin1", 0, headEnd)
  if (!head.startsWith("HTTP/1.1 200 ")) throw new Error(`The destination's answer: ${head.split("\r\n")[0]}`)
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  if (length === undefined) throw new Error("The answer does not say how long it is")
  return headEnd + 4 + Number(length)
}
