import { once } from "node:events"
import type { Socket } from "node:net"
import type { SecureContext } from "node:tls"
import type { Log } from "@sealway/platform"
import { createHandshakes, type HandshakeLimits } from "../forward/handshakes.ts"
import { secureSocket } from "../forward/secure-socket.ts"
import type { RelayServer } from "../server/relay-server.ts"
import { createSocketListener } from "../server/socket-listener.ts"
import { portOf } from "./port-of.ts"

export interface SecureListenerOptions {
  readonly server: RelayServer
  /** Asked for each connection: certificates are renewed while it listens. */
  readonly secureContext: () => Promise<SecureContext>
  readonly limits: HandshakeLimits & { readonly maxClients: number }
  readonly log: Pick<Log, "error">
}

export interface SecureListener {
  readonly port: number
  /** Takes no further connections, and closes the server behind. */
  close(): Promise<void>
}

/** Takes TLS connections for a relay server. */
export async function startSecureListener(
  { server, secureContext, limits, log }: SecureListenerOptions,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<SecureListener> {
  const handshakes = createHandshakes(limits)

  async function accept(socket: Socket): Promise<void> {
    const isReady = handshakes.begin(socket)
    const secured = await secureSocket(socket, await secureContext())
    isReady()
    if (secured !== null) server.serve(secured)
  }

  const listener = createSocketListener(accept, { maxClients: limits.maxClients, log })
  listener.listen(port, host)
  await once(listener, "listening")
  return {
    port: portOf(listener),
    async close() {
      const closed = once(listener, "close")
      listener.close()
      handshakes.close()
      await server.close()
      await closed
    },
  }
}
