import type { Duplex } from "node:stream"

export interface HandshakeLimits {
  /** How long a connection may take until it is ready for requests: its first byte, and TLS. */
  readonly handshakeTimeoutMs: number
  /** Connections at a time that are not ready yet. */
  readonly maxHandshakes: number
}

/** Connections that are not ready for requests yet. */
export interface Handshakes {
  /** @returns what to call when the connection is ready */
  begin(socket: Duplex): () => void
  /** Drops all of them. */
  close(): void
}

/**
 * Drops connections that take too long to be ready, and the oldest of them where there are too many: whoever opens
 * many and does nothing drops their own, while those that go on are ready before their turn comes.
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
