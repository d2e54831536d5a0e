import type { Duplex } from "node:stream"

/**
 * The first byte of a TLS connection: a record of type handshake (RFC 8446 section 5.1). No HTTP request starts with
 * it.
 */
const TLS_HANDSHAKE = 0x16

export type FirstByte = "tls" | "other"

/**
 * Waits for the first bytes of a connection and classifies them, leaving them unread. Returns null when the connection
 * ends first. Nobody else may read the connection meanwhile.
 */
export function peekFirstByte(socket: Duplex): Promise<FirstByte | null> {
  return new Promise((resolve) => {
    const finish = (result: FirstByte | null) => {
      socket.off("readable", read)
      socket.off("end", end)
      socket.off("close", end)
      resolve(result)
    }
    const end = () => finish(null)
    const read = () => {
      const bytes: unknown = socket.read()
      if (!Buffer.isBuffer(bytes)) return
      socket.unshift(bytes)
      finish(bytes[0] === TLS_HANDSHAKE ? "tls" : "other")
    }
    socket.on("readable", read)
    socket.once("end", end)
    socket.once("close", end)
    if (socket.destroyed || socket.readableEnded) end()
  })
}
