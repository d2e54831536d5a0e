import { createServer, type Server, type Socket } from "node:net"
import type { Log } from "@sealway/ports"

/**
 * Accepts connections and passes them on to a relay server. If `accept` rejects, the error is logged and the connection
 * dropped.
 */
export function createSocketListener(
  accept: (socket: Socket) => Promise<void>,
  { maxClients, log }: { readonly maxClients: number; readonly log: Pick<Log, "error"> },
): Server {
  // Clients may close their sending side and keep reading, as Node.js HTTP servers allow.
  const listener = createServer({ allowHalfOpen: true, noDelay: true })
  listener.maxConnections = maxClients
  listener.on("connection", (socket) => {
    socket.on("error", () => socket.destroy())
    accept(socket).catch((error: unknown) => {
      log.error("could not accept a connection", { error })
      socket.destroy()
    })
  })
  return listener
}
