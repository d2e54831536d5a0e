import type { IncomingMessage } from "node:http"

/** Reads and discards the rest of a request, until it ends or for `lingerMs`; then calls back. */
export function discardBody(request: IncomingMessage, lingerMs: number, done: () => void): void {
  const stop = () => {
    clearTimeout(linger)
    request.off("end", stop)
    request.off("close", stop)
    done()
  }
  const linger = setTimeout(stop, lingerMs)
  request.on("end", stop)
  request.on("close", stop)
  request.resume()
}
