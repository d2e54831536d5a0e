import type { Duplex } from "node:stream"

export interface HandshakeLimits {
  /** How long a connection may take to be ready for requests: its first byte, and TLS. */
  readonly handshakeTimeoutMs: number
  /** Concurrent connections that are not ready yet. */
  readonly maxHandshakes: number
}

/** Connections that are not ready for requests yet. */
export interface Handshakes {
  /** @returns a function to call when the connection is ready */
  begin(socket: Duplex): () => void
  /** Drops all of them. */
  close(): void
}

/**
 * Drops connections that take too long to be ready, and the oldest ones when there are too many: a client that opens
 * many idle ones drops its own, while active ones are ready before they become the oldest.
 */
export function createHandshakes({ handshakeTimeoutMs, maxHandshakes }: HandshakeLimits): Handshakes {
  const pending = new Set<Duplex>()
  return {
    begin(socket) {
      pending.add(socket)
      const deadline = setTimeout(() => socket.destroy(), handshakeTimeoutMs)
      const end = () => {
        clearTimeout(deadline)
        pending.delete(socket)
        socket.off("close", end)
      }
      socket.once("close", end)
      const [oldest] = pending
      if (pending.size > maxHandshakes && oldest !== undefined) {
        pending.delete(oldest)
        oldest.destroy()
      }
      return end
    },
    close() {
      for (const socket of pending) socket.destroy()
    },
  }
}
