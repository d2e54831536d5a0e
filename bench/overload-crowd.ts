import { readFile } from "node:fs/promises"
import { connect } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import * as z from "zod"

/**
 * Sends a request from many clients at once, and prints how many were served, refused because of load, answered otherwise
 * (failed), and not answered completely (broken). Reads its task from the file that is named on the command line.
 * `leaves`: each client sends again and again, and leaves as soon as it has sent everything.
 */
const taskSchema = z.object({
  url: z.string(),
  method: z.string().default("POST"),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  bodyFile: z.string(),
  variants: z
    .array(z.object({ path: z.string().optional(), bodyPrefix: z.string().default("") }))
    .default([]),
  clients: z.int(),
  /** What the status of an answer begins with that is served. */
  served: z.string().default("2"),
  leaves: z.boolean(),
})

/** How long clients go on leaving. */
const LEAVING_MS = 4_000
/** Between two connections of a client. */
const PAUSE_MS = 50
/** Too many at this moment; or for what only one may do at a time. */
const REFUSALS = new Set(["409", "429", "503"])

const task = taskSchema.parse(JSON.parse(await readFile(process.argv[2] ?? "", "utf8")))
const { clients, leaves } = task
const { hostname, port } = new URL(task.url)
const body = await readFile(task.bodyFile)
const messages = (task.variants.length === 0 ? [{ bodyPrefix: "" }] : task.variants).map(startOf)
const counts = { served: 0, refused: 0, failed: 0, broken: 0, left: 0 }
let sent = 0

const endAt = performance.now() + LEAVING_MS
await Promise.all(Array.from({ length: clients }, leaves ? keepLeaving : ask))
console.log(JSON.stringify(counts))

/** Returns the head and the first part of the body. */
function startOf({ path = task.path, bodyPrefix }: (typeof task.variants)[number]): string {
  const length = Buffer.byteLength(bodyPrefix) + body.length
  const fields = { ...task.headers, "content-length": String(length), connection: "close" }
  const lines = Object.entries(fields).flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}`]))
  return `${task.method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${bodyPrefix}`
}

function start() {
  const socket = connect({ port: Number(port), host: hostname }).on("error", () => undefined)
  socket.write(messages[sent++ % messages.length] ?? "")
  return socket
}

async function keepLeaving(): Promise<void> {
  while (performance.now() < endAt) {
    const socket = start()
    socket.write(body, () => socket.destroy())
    // `once` would throw for a connection that was reset, which is one that was left, too.
    await new Promise<void>((resolve) => socket.on("close", () => resolve()))
    counts.left += 1
    await delay(PAUSE_MS)
  }
}

function ask(): Promise<void> {
  const socket = start()
  socket.write(body)
  let status: string | null = null
  let expected = Number.NaN
  let received = 0
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length
    if (status !== null) return
    const [head = ""] = chunk.toString("latin1").split("\r\n\r\n", 1)
    status = /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? ""
    expected = head.length + 4 + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Number.NaN)
  })
  return new Promise((resolve) => {
    socket.on("close", () => {
      counts[outcomeOf(status, received < expected)] += 1
      resolve()
    })
  })
}

function outcomeOf(status: string | null, isCut: boolean): "served" | "refused" | "failed" | "broken" {
  if (status === null || isCut) return "broken"
  if (status.startsWith(task.served)) return "served"
  return REFUSALS.has(status) ? "refused" : "failed"
}
