import type { Server } from "node:net"

/** Returns the port of a server. @throws TypeError when it does not listen on TCP */
export function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === "string")
    throw new TypeError("The server does not listen on TCP")
  return address.port
}
