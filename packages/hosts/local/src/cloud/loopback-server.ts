import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"

/** Only this machine can reach it. */
export const LOOPBACK_HOST = "127.0.0.1"

/** How long open requests may take to finish when a server closes. */
const CLOSE_GRACE_MS = 1_000

/** Listens on a free port of the loopback address, and resolves to the endpoint. */
export async function listenOnLoopback(server: Server): Promise<string> {
  server.listen(0, LOOPBACK_HOST)
  await once(server, "listening")
  return `http://${LOOPBACK_HOST}:${portOf(server.address())}`
}

/** Stops listening, lets open requests finish for a second, then drops the rest. */
export async function closeServer(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS)
  try {
    await new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()))
    })
  } finally {
    clearTimeout(cut)
  }
}

/** @param address of a server that listens */
export function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new TypeError("The server listens on no port.")
  return address.port
}
