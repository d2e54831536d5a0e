import type { Socket } from "node:net"
import { type SecureContext, TLSSocket } from "node:tls"

/**
 * Starts TLS as the server of a connection: HTTP/1.1 only (ALPN, RFC 7301).
 *
 * @returns the socket after the handshake; null when that failed and the connection is gone
 */
export function secureSocket(socket: Socket, secureContext: SecureContext): Promise<TLSSocket | null> {
  return new Promise((resolve) => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ["http/1.1"] })
    const leave = () => secured.destroy()
    // A stream that nobody reads does not report its end: a client that disconnects would be waited for.
    const noticeEnd = () => {
      if (secured.readableLength === 0) secured.read(0)
    }
    // A client's mistake only ends its own connection.
    secured.on("error", leave)
    secured.on("readable", noticeEnd)
    secured.once("end", leave)
    secured.once("close", () => {
      socket.destroy()
      resolve(null)
    })
    // The connection itself only reports its end if that came before TLS started.
    socket.once("end", leave)
    socket.once("close", leave)
    secured.once("secure", () => {
      secured.off("readable", noticeEnd)
      secured.off("end", leave)
      resolve(secured)
    })
  })
}
