import { Socket } from "node:net"
import { type FromWorker, type ToWorker, toWorkerSchema } from "./messages.ts"

/** The services of a worker. */
export interface WorkerService {
  /** Accepts connections, by the name of their listener. */
  readonly accept: ReadonlyMap<string, (socket: Socket) => void>
  /** Concurrent connections per listener. Further ones are dropped. */
  readonly maxClients: number
  /** Called with what another process has changed. */
  learn?(change: unknown): void
  /** Returns what the parent wants to know when it asks. Must be serialisable as JSON. Default: null. */
  report?(): unknown
  /** Lets current work end. */
  close(): Promise<void>
}

const EXIT_FAILED = 1

/**
 * Makes this process a worker of its parent: it serves the connections that it receives until it is told to end, and
 * ends with the parent. It ignores signals, which the parent handles: a terminal sends its signals to both.
 *
 * @param start receives the parent's settings. If it throws, the worker ends and reports it on standard error
 */
export function serveAsWorker(start: (setup: unknown) => Promise<WorkerService>): void {
  let service: WorkerService | null = null
  const clients = new Map<string, number>()

  const say = (message: FromWorker) => process.send?.(message)

  function takeConnection(listener: string, socket: Socket): void {
    const open = clients.get(listener) ?? 0
    const accept = service?.accept.get(listener)
    if (service === null || accept === undefined || open >= service.maxClients) {
      socket.destroy()
      return
    }
    clients.set(listener, open + 1)
    socket.once("close", () => clients.set(listener, (clients.get(listener) ?? 1) - 1))
    // As a server would set it.
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    accept(socket)
  }

  async function receive(message: ToWorker, handle: unknown): Promise<void> {
    switch (message.type) {
      case "setup":
        service = await start(message.setup)
        say({ type: "ready" })
        break
      case "connection":
        // First of all: a connection that is not taken when this process dies goes to another worker, unread.
        say({ type: "taken", number: message.number })
        // There is none if the client left on the way.
        if (handle instanceof Socket) takeConnection(message.listener, handle)
        break
      case "change":
        service?.learn?.(message.change)
        say({ type: "learned", number: message.number })
        break
      case "report":
        say({ type: "reported", number: message.number, report: service?.report?.() ?? null })
        break
      case "drain":
        await service?.close()
        process.exit(0)
    }
  }

  if (process.send === undefined) throw new Error("A worker is started by another process")
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"] as const)
    process.on(signal, () => undefined)
  process.on("disconnect", () => process.exit(EXIT_FAILED))
  process.on("message", (received, handle) => {
    receive(toWorkerSchema.parse(received), handle).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : "unknown error"}\n`)
      process.exit(EXIT_FAILED)
    })
  })
}
