import type { Socket } from "node:net"

/** How long connecting may take: the function is connected already, and may wait longer than it would otherwise. */
const CONNECT_TIMEOUT_MS = 30_000

/**
 * Carries bytes between a function and the destination that is being connected. When one of them ends, resets or does
 * not exist, the other sees the same.
 *
 * @param onFailure receives the error code when the destination cannot be connected
 */
export function forward(inner: Socket, outer: Socket, onFailure: (code: string) => void): void {
  // A side that sends no more may still receive.
  for (const socket of [inner, outer]) {
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
  }
  outer.setTimeout(CONNECT_TIMEOUT_MS, () =>
    outer.destroy(Object.assign(new Error("Connecting timed out"), { code: "ETIMEDOUT" })),
  )
  outer.once("connect", () => outer.setTimeout(0))
  outer.on("error", (error) => {
    if (outer.connecting || outer.remoteAddress === undefined) {
      const code = Reflect.get(error, "code")
      onFailure(typeof code === "string" ? code : error.name)
    }
    reset(inner)
  })
  inner.on("error", () => reset(outer))
  for (const [from, to] of [
    [inner, outer],
    [outer, inner],
  ] as const) {
    from.pipe(to)
    // Unless everything was received on both sides: then the other one only has to send the rest.
    from.once("close", () => {
      if (!from.readableEnded || !to.readableEnded) reset(to)
    })
  }
}

function reset(socket: Socket): void {
  if (socket.connecting) socket.destroy()
  else if (!socket.destroyed) socket.resetAndDestroy()
}
