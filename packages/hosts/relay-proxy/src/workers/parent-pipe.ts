import { Socket } from "node:net"
import type { Duplex } from "node:stream"

/**
 * The descriptor of a worker's pipe to its parent. It is apart from the channel of messages, because a worker's messages
 * about connections must not wait behind anything else.
 */
export const PARENT_PIPE = 4

const EXIT_FAILED = 1

/** Opens this worker's end of the pipe that `WorkerProcessOptions.onPipe` is about, once. The worker ends with it. */
export function openParentPipe(): Duplex {
  const pipe = new Socket({ fd: PARENT_PIPE, readable: true, writable: true })
  return pipe.once("close", () => process.exit(EXIT_FAILED))
}
