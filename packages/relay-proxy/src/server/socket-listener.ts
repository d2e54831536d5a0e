import { createServer, type Server, type Socket } from "node:net"
import type { Log } from "@sealway/platform"

/** Takes connections for somebody who hands them on to a relay server. What `accept` rejects with is logged, and the connection dropped. */
export function createSocketListener(
  accept: (socket: Socket) => Promise<void>,
  { maxClients, log }: { readonly maxClients: number; readonly log: Pick<Log, "error"> },
): Server {
  // Clients may close their sending side and go on to read, as HTTP servers of Node.js allow.
  const listener = createServer({ allowHalfOpen: true, noDelay: true })
  listener.maxConnections = maxClients
  listener.on("connection", (socket) => {
    socket.on("error", () => socket.destroy())
    accept(socket).catch((error: unknown) => {
      log.error("connection not accepted", { error })
      socket.destroy()
    })
  })
  return listener
}
