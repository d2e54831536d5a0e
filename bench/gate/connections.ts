import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { CONNECTIONS, type LoadTarget } from "../http-load.ts"

const HEAD_END = "\r\n\r\n"
/** No answer's head is longer. */
const MAX_HEAD_BYTES = 2_048

/** Open connections, over which the same POST request is sent: what is measured is requests alone. */
export interface Connections {
  /** Sends so many requests, one after another on each connection. Rejects when one is not answered with 200. */
  send(amount: number): Promise<void>
  close(): void
}

export async function openConnections(target: LoadTarget): Promise<Connections> {
  const { hostname, port } = new URL(target.url)
  const request = requestOf(target)
  const sockets = Array.from({ length: CONNECTIONS }, () =>
    connect({ host: hostname, port: Number(port), noDelay: true }),
  )
  await Promise.all(sockets.map((socket) => once(socket, "connect")))
  return {
    async send(amount) {
      let left = amount
      const work = async (socket: Socket) => {
        while (left-- > 0) await exchange(socket, request)
      }
      await Promise.all(sockets.map(work))
    },
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

function requestOf({ url, headers, body }: LoadTarget): Buffer {
  const { host, pathname } = new URL(url)
  const fields = Object.entries({ host, ...headers, "content-length": Buffer.byteLength(body) })
  const lines = fields.map(([name, value]) => `${name}: ${value}`)
  return Buffer.from([`POST ${pathname} HTTP/1.1`, ...lines, "", body].join("\r\n"))
}

/** Sends a request, and reads its answer. */
function exchange(socket: Socket, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = Number.NaN
    const read = (chunk: Buffer) => {
      if (Number.isNaN(left)) left = lengthOf(chunk)
      left -= chunk.length
      if (left > 0) return
      socket.off("data", read).off("close", fail)
      if (left === 0) resolve()
      else fail()
    }
    const fail = () => reject(new Error("A request was not answered with 200 and a stated length"))
    socket.on("data", read).on("close", fail)
    socket.write(request)
  })
}

/** Returns the length of an answer from its first bytes; -1 when it is not as expected. */
function lengthOf(chunk: Buffer): number {
  const start = chunk.toString("latin1", 0, MAX_HEAD_BYTES)
  const head = start.slice(0, start.indexOf(HEAD_END) + HEAD_END.length)
  const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(head) ?? []
  return head.startsWith("HTTP/1.1 200 ") && length !== undefined ? head.length + Number(length) : -1
}
