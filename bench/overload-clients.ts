import { once } from "node:events"
import { connect, type Socket } from "node:net"
import * as z from "zod"
import { documentOf } from "./document-of.ts"

/**
 * Runs many clients in one process: each sends a request, waits for its answer, and sends it again at once, whether it
 * was served or refused, for so many seconds. Reads its task from the command line, as JSON, and prints its counts.
 * `reads: false`: it sends once, waits for the beginning of each answer, reads no more, prints a line when all have
 * begun, and stays until it is stopped.
 */
const taskSchema = z.object({
  port: z.int(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  fields: z.int(),
  clients: z.int(),
  seconds: z.number(),
  reads: z.boolean(),
})

const { port, path, headers, fields, clients, seconds, reads } = taskSchema.parse(
  JSON.parse(process.argv[2] ?? ""),
)
const body = documentOf(fields)
const lines = Object.entries({
  host: `127.0.0.1:${port}`,
  ...headers,
  "content-length": Buffer.byteLength(body),
})
const message = Buffer.from(
  `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`,
)
const counts = { served: 0, refused: 0, broken: 0 }
let isOver = false

const sockets = await Promise.all(Array.from({ length: clients }, openConnection))
if (!reads) {
  for (const socket of sockets) socket.write(message)
  // Waiting for a stream in this way takes only a first piece off the socket.
  await Promise.all(sockets.map((socket) => once(socket, "readable")))
  console.log(JSON.stringify({ begun: sockets.length }))
} else {
  for (const socket of sockets) keepSending(socket)
  const startedAt = performance.now()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  isOver = true
  console.log(JSON.stringify({ ...counts, seconds: (performance.now() - startedAt) / 1000 }))
  for (const socket of sockets) socket.destroy()
}

async function openConnection(): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true })
  socket.on("error", () => socket.destroy())
  await once(socket, "connect")
  return socket
}

function keepSending(socket: Socket): void {
  let received = ""
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    received += chunk
    const [head, status, length] =
      /^HTTP\/1\.1 (\d+) [\s\S]*?content-length: (\d+)[\s\S]*?\r\n\r\n/i.exec(received) ?? []
    if (head === undefined || received.length < head.length + Number(length)) return
    received = ""
    if (isOver) return
    if (status === "200") counts.served += 1
    else counts.refused += 1
    socket.write(message)
  })
  socket.on("close", () => {
    if (!isOver) counts.broken += 1
  })
  socket.write(message)
}
