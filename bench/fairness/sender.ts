import { Agent, request } from "node:http"
import { setTimeout as delay } from "node:timers/promises"
import * as z from "zod"
import { BODIES, type BodyName, WRAPPERS, type WrapperName } from "./bodies.ts"

/**
 * Sends a large body repeatedly, so many at a time, until it is stopped. Reads its task from the command line, as JSON.
 * A body that is refused because there are too many is sent again a little later, but not for ever. Prints a line when
 * the first other answer has come, with its status.
 */
const taskSchema = z.object({
  port: z.int(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.custom<BodyName>((name) => typeof name === "string" && name in BODIES),
  /** The endpoint that encrypts the body first; its answer is then sent. */
  encryptedBy: z.object({ port: z.int(), headers: z.record(z.string(), z.string()) }).nullable(),
  /** The document that the encrypted body is put into. */
  wrapper: z.custom<WrapperName>((name) => typeof name === "string" && name in WRAPPERS).nullable(),
  senders: z.int(),
})

const RETRY_MS = 100
/** In a row: the bodies of the task before are done by then. */
const MAX_REFUSALS = 100

const task = taskSchema.parse(JSON.parse(process.argv[2] ?? ""))
const agent = new Agent({ keepAlive: true, maxSockets: task.senders })
const body = await createBody()
let isFirst = true
for (let sender = 0; sender < task.senders; sender++) void keepSending()

async function createBody(): Promise<Buffer> {
  const { encryptedBy, wrapper } = task
  const plain = BODIES[task.body]()
  if (encryptedBy === null) return plain
  const encrypted = await send({ ...encryptedBy, path: "/encrypt" }, plain)
  if (encrypted.status !== 200) throw new Error(`Not encrypted: ${encrypted.body}`)
  return wrapper === null ? encrypted.body : WRAPPERS[wrapper](JSON.parse(encrypted.body.toString()))
}

async function keepSending(): Promise<never> {
  let refusals = 0
  for (;;) {
    const { status } = await send(task, body)
    if (status === 503 && refusals++ < MAX_REFUSALS) {
      await delay(RETRY_MS)
      continue
    }
    refusals = 0
    if (isFirst) console.log(JSON.stringify({ status }))
    isFirst = false
  }
}

interface Target {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

function send(
  { port, path, headers }: Target,
  content: Buffer,
): Promise<{ readonly status: number; readonly body: Buffer }> {
  const options = { host: "127.0.0.1", port, path, method: "POST", agent }
  const framed = { ...headers, "content-length": content.length }
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, headers: framed }, (answer) => {
      const chunks: Buffer[] = []
      answer.on("data", (chunk: Buffer) => chunks.push(chunk))
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }))
    })
    sent.on("error", reject).end(content)
  })
}
