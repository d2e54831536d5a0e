import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { connect } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import * as z from "zod"

/**
 * Sends one request from many clients at once, and prints how many were served, refused with 503, and answered otherwise
 * or not at all. Reads its task from the command line, as JSON. `leaves`: each client sends again and again, and leaves as
 * soon as it has sent everything.
 */
const taskSchema = z.object({
  port: z.int(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  bodyFile: z.string(),
  clients: z.int(),
  leaves: z.boolean(),
})

/** How long clients go on leaving. */
const LEAVING_MS = 4_000
/** Between two connections of a client. */
const PAUSE_MS = 50

const { port, path, headers, bodyFile, clients, leaves } = taskSchema.parse(JSON.parse(process.argv[2] ?? ""))
const body = await readFile(bodyFile)
const lines = Object.entries({
  ...{ host: `127.0.0.1:${port}`, ...headers },
  ...{ "content-length": body.length, connection: "close" },
})
const head = `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`
const counts = { served: 0, refused: 0, broken: 0, left: 0 }

const endAt = performance.now() + LEAVING_MS
await Promise.all(Array.from({ length: clients }, leaves ? keepLeaving : ask))
console.log(JSON.stringify(counts))

async function keepLeaving(): Promise<void> {
  while (performance.now() < endAt) {
    const socket = connect({ port, host: "127.0.0.1" }).on("error", () => undefined)
    socket.write(head)
    socket.write(body, () => socket.destroy())
    await once(socket, "close")
    counts.left += 1
    await delay(PAUSE_MS)
  }
}

function ask(): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1" }).on("error", () => undefined)
  socket.write(head)
  socket.write(body)
  let status: string | null = null
  socket.on("data", (chunk: Buffer) => {
    status ??= /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString("latin1", 0, 12))?.[1] ?? ""
  })
  return new Promise((resolve) => {
    socket.on("close", () => {
      if (status?.startsWith("2")) counts.served += 1
      else if (status === "503") counts.refused += 1
      else counts.broken += 1
      resolve()
    })
  })
}
