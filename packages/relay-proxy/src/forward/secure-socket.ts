import type { Socket } from "node:net"
import { type SecureContext, TLSSocket } from "node:tls"

/**
 * Begins TLS as the server of a connection: HTTP/1.1 only (ALPN, RFC 7301).
 *
 * @returns once the handshake is done; null when it was not: the connection is gone then
 */
export function secureSocket(socket: Socket, secureContext: SecureContext): Promise<TLSSocket | null> {
  return new Promise((resolve) => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ["http/1.1"] })
    const leave = () => secured.destroy()
    // A stream that nobody reads does not tell that it has ended: a client that hangs up would be waited for.
    const noticeEnd = () => {
      if (secured.readableLength === 0) secured.read(0)
    }
    // What a client does wrong ends its connection, and is nobody else's concern.
    secured.on("error", leave)
    secured.on("readable", noticeEnd)
    secured.once("end", leave)
    secured.once("close", () => {
      socket.destroy()
      resolve(null)
    })
    // The connection itself tells of its end only where that came before TLS began.
    socket.once("end", leave)
    socket.once("close", leave)
    secured.once("secure", () => {
      secured.off("readable", noticeEnd)
      secured.off("end", leave)
      resolve(secured)
    })
  })
}
