import { once } from "node:events"
import { createServer, type Server } from "node:net"
import { portOf } from "../port-of.ts"
import { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from "./worker-pool.ts"

export interface ListenAddress {
  /** 0 picks a free one. */
  readonly port: number
  readonly host: string
}

export interface SharedListenersOptions extends WorkerPoolOptions {
  /** Whether workers, which take memory, are started by the first connection, which waits for them. Default: at once. */
  readonly startsWhenUsed?: boolean
}

/** Ports whose connections go to workers. */
export interface SharedListeners
  extends Pick<WorkerPool, "ready" | "wake" | "hand" | "tell" | "learned" | "reported"> {
  /** Returns the port of a listener, by its name. */
  portOf(listener: string): number
  /** Accepts no further connections, and lets the workers finish. */
  close(): Promise<void>
}

/**
 * Listens, and passes accepted connections to workers in turn. The listening sockets stay here, so that the ports are
 * kept when workers die, and nothing listens any more once this process is gone, however it ends.
 *
 * Of Node.js's ways to share a port this one spreads long connections evenly. If workers accepted from one socket
 * themselves, one of them would get most connections; `reusePort` would let a second service start on a port that is in
 * use; and `node:cluster` releases the port when all its workers are dead at once.
 *
 * @param addresses the addresses of the listeners, by name
 * @throws Error with code `EADDRINUSE` when a port is taken
 * @throws WorkerNotStartedError
 */
export async function listenForWorkers(
  addresses: ReadonlyMap<string, ListenAddress>,
  { startsWhenUsed = false, ...options }: SharedListenersOptions,
): Promise<SharedListeners> {
  const pool = createWorkerPool(options)
  const servers = new Map<string, Server>()

  async function listen(listener: string, { port, host }: ListenAddress): Promise<void> {
    const server = createServer({ pauseOnConnect: true }, (socket) => {
      socket.on("error", () => socket.destroy())
      if (startsWhenUsed) pool.wake()
      pool.hand({ listener, socket })
    })
    servers.set(listener, server)
    server.listen(port, host)
    await once(server, "listening")
  }

  /** Not awaited: passed-on sockets count as long as they are open, and workers handle those. */
  function stopListening(): void {
    for (const server of servers.values()) server.close()
  }

  try {
    for (const [listener, address] of addresses) await listen(listener, address)
    const ports = new Map([...servers].map(([listener, server]) => [listener, portOf(server)]))
    if (!startsWhenUsed) await pool.start()
    return {
      get ready() {
        return pool.ready
      },
      wake: pool.wake,
      hand: pool.hand,
      tell: pool.tell,
      learned: pool.learned,
      reported: pool.reported,
      portOf(listener) {
        const port = ports.get(listener)
        if (port === undefined) throw new TypeError("There is no listener of this name")
        return port
      },
      async close() {
        stopListening()
        await pool.close()
      },
    }
  } catch (error) {
    stopListening()
    throw error
  }
}
