import type { IncomingMessage } from "node:http"

/**
 * Reads and discards the rest of a request, until it ends or for `lingerMs`; then calls back.
 *
 * @param collect told of bytes whose buffer has become garbage. Default: nobody is
 */
export function discardBody(
  request: IncomingMessage,
  lingerMs: number,
  done: () => void,
  collect?: (bytes: number) => void,
): void {
  const stop = () => {
    clearTimeout(linger)
    request.off("end", stop)
    request.off("close", stop)
    done()
  }
  const linger = setTimeout(stop, lingerMs)
  request.on("end", stop)
  request.on("close", stop)
  if (collect !== undefined) request.on("data", (chunk: Buffer) => collect(chunk.length))
  request.resume()
}
