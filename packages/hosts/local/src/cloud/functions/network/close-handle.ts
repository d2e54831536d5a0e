import { Socket } from "node:dgram"
import { Server } from "node:net"

/** Closes what came with a message of the launcher, if anything did: a socket that nobody serves keeps the process alive. */
export function closeHandle(handle: unknown): void {
  if (handle instanceof Socket || handle instanceof Server) handle.close()
}
