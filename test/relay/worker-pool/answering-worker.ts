import type { Socket } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { serveAsWorker } from "@sealway/relay-proxy/serve-as-worker"
import * as z from "zod"

/**
 * A worker for tests. What a client sends first is answered with one line, and the connection ended: `who` its process,
 * `change` the last change it learned of, `environment` the names in it, `to` where the client connected, `slow` its
 * process after a while, and a space at once. `die` ends the process at once.
 */
const setupSchema = z.object({ isFailing: z.boolean().default(false), maxClients: z.int().default(100) })
const SLOW_MS = 500

serveAsWorker(async (setup) => {
  const { isFailing, maxClients } = setupSchema.parse(setup)
  if (isFailing) throw new Error("It fails as it is told to")
  let change: unknown = null
  const clients = new Set<Promise<unknown>>()

  const answers: Readonly<Record<string, (listener: string) => Promise<unknown> | unknown>> = {
    who: () => process.pid,
    change: () => change,
    environment: () => Object.keys(process.env).sort(),
    arguments: () => process.argv.slice(2),
    to: (listener) => listener,
    slow: () => delay(SLOW_MS, process.pid),
    die: () => process.kill(process.pid, "SIGKILL"),
  }

  const accept = (listener: string) => (socket: Socket) => {
    socket.on("error", () => socket.destroy())
    socket.once("data", (said) => {
      if (String(said) === "slow") socket.write(" ")
      const answered = Promise.resolve(answers[String(said)]?.(listener)).then((answer) => {
        socket.end(`${JSON.stringify(answer)}\n`)
      })
      clients.add(answered)
    })
  }

  return {
    accept: new Map(["first", "second"].map((listener) => [listener, accept(listener)])),
    maxClients,
    learn(told) {
      change = told
    },
    report: () => process.pid,
    close: async () => void (await Promise.all(clients)),
  }
})
