import { once } from "node:events"
import type { Socket } from "node:net"
import type { SecureContext } from "node:tls"
import type { Log } from "@sealway/ports"
import { createHandshakes, type HandshakeLimits } from "../forward/handshakes.ts"
import { secureSocket } from "../forward/secure-socket.ts"
import { portOf } from "../port-of.ts"
import type { RelayServer } from "../server/relay-server.ts"
import { createSocketListener } from "../server/socket-listener.ts"

export interface SecureListenerOptions {
  readonly server: RelayServer
  /** Called for each connection, because certificates are renewed while it listens. */
  readonly secureContext: () => Promise<SecureContext>
  readonly limits: HandshakeLimits & { readonly maxClients: number }
  readonly log: Pick<Log, "error">
}

export interface SecureListener {
  /** Port 0 picks a free one. Resolves to the port. Rejects with the error of `node:net` when it is not available. */
  listen(address: { readonly port: number; readonly host: string }): Promise<number>
  /** Serves a client whose connection was accepted elsewhere, with nothing read from it. */
  serve(socket: Socket): void
  /** Accepts no further connections, and closes the server behind. */
  close(): Promise<void>
}

/** Accepts TLS connections for a relay server. */
export function createSecureListener({
  server,
  secureContext,
  limits,
  log,
}: SecureListenerOptions): SecureListener {
  const handshakes = createHandshakes(limits)

  async function accept(socket: Socket): Promise<void> {
    const isReady = handshakes.begin(socket)
    const secured = await secureSocket(socket, await secureContext())
    isReady()
    if (secured !== null) server.serve(secured)
  }

  const listener = createSocketListener(accept, { maxClients: limits.maxClients, log })
  return {
    async listen({ port, host }) {
      listener.listen(port, host)
      await once(listener, "listening")
      return portOf(listener)
    },
    serve: (socket) => void listener.emit("connection", socket),
    async close() {
      const closed = listener.listening ? once(listener, "close") : null
      listener.close()
      handshakes.close()
      await server.close()
      await closed
    },
  }
}
