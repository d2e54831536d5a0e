import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { connect, createServer, isIP, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { equalInConstantTime } from "@sealway/kernel"
import * as z from "zod"
import type { ForwardTarget, ServeConnection } from "../gateway/index.ts"

/** Where the first process accepts the connections of its workers. */
export const forwardAddressSchema = z.object({
  /** Of a Unix socket, or a named pipe of Windows. */
  path: z.string(),
  /** In base64. Whoever knows it may say for whom a request is. */
  secret: z.string(),
})

export type ForwardAddress = z.infer<typeof forwardAddressSchema>

export interface ForwardedConnections {
  readonly address: ForwardAddress
  /** Accepts no further ones. */
  close(): Promise<void>
}

const SECRET_BYTES = 32
/** `xxxx:xxxx:xxxx:xxxx:xxxx:xxxx:255.255.255.255` */
const MAX_ADDRESS_CHARACTERS = 45
/** What a connection begins with: the secret, and the caller's address, padded with blanks. No byte of it is the caller's. */
const PREFACE_BYTES = SECRET_BYTES + MAX_ADDRESS_CHARACTERS
const PREFACE_TIMEOUT_MS = 2_000
/**
 * Connections that have not said for whom they are. Any program of this machine may open one. Workers say it at once, so
 * the oldest makes place for the next.
 */
const MAX_UNIDENTIFIED = 1_024
const BACKLOG = 4_096

/**
 * Accepts the connections over which workers pass on requests, each of which says first for whom it is.
 *
 * @param serve called with each connection of a worker
 */
export async function acceptForwarded(serve: ServeConnection): Promise<ForwardedConnections> {
  const secret = randomBytes(SECRET_BYTES)
  const { path, remove } = await newSocketPath()
  const unidentified = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => socket.destroy())
    const [oldest] = unidentified
    if (oldest !== undefined && unidentified.size >= MAX_UNIDENTIFIED) {
      unidentified.delete(oldest)
      oldest.destroy()
    }
    unidentified.add(socket)
    socket.once("close", () => unidentified.delete(socket))
    onPreface(socket, (preface) => {
      unidentified.delete(socket)
      const [sentSecret, sourceIp] = readPreface(preface)
      if (equalInConstantTime(sentSecret, secret) && isIP(sourceIp) !== 0) serve(socket, sourceIp)
      else socket.destroy()
    })
  })
  server.listen({ path, backlog: BACKLOG })
  await once(server, "listening")
  return {
    address: { path, secret: secret.toString("base64") },
    async close() {
      server.close()
      await remove()
    },
  }
}

/** Returns a path that nothing else has, where possible without a file: a killed process leaves none behind. */
async function newSocketPath(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const name = `sealway-${randomBytes(16).toString("hex")}`
  const nothing = async () => undefined
  if (process.platform === "linux") return { path: `\0${name}`, remove: nothing }
  if (process.platform === "win32") return { path: `\\\\.\\pipe\\${name}`, remove: nothing }
  const folder = await mkdtemp(join(tmpdir(), "sealway-"))
  return { path: join(folder, "api"), remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Creates the target of a worker's requests that the first process answers. */
export function createForwardTarget({ path, secret }: ForwardAddress): ForwardTarget {
  const secretBytes = Buffer.from(secret, "base64")
  return {
    connect(sourceIp) {
      const socket = connect({ path })
      socket.write(Buffer.concat([secretBytes, Buffer.from(sourceIp.padEnd(MAX_ADDRESS_CHARACTERS))]))
      return socket
    },
  }
}

/** Calls back with the first bytes of a connection, and leaves the others in it. Closes one that ends, or sends nothing. */
function onPreface(socket: Socket, receive: (preface: Buffer) => void): void {
  let isReceived = false
  const drop = () => {
    if (!isReceived) socket.destroy()
  }
  // Not at once: after a busy turn, what has arrived in time is read first.
  const tooLate = setTimeout(() => setImmediate(drop), PREFACE_TIMEOUT_MS)
  socket.once("close", () => clearTimeout(tooLate))
  socket.once("end", drop)
  const read = () => {
    const preface: unknown = socket.read(PREFACE_BYTES)
    // Null: some of it is on its way.
    if (!Buffer.isBuffer(preface)) return
    isReceived = true
    clearTimeout(tooLate)
    socket.off("readable", read)
    receive(preface)
    socket.resume()
  }
  socket.on("readable", read)
}

function readPreface(preface: Buffer): [secret: Buffer, sourceIp: string] {
  return [preface.subarray(0, SECRET_BYTES), preface.toString("latin1", SECRET_BYTES).trimEnd()]
}
