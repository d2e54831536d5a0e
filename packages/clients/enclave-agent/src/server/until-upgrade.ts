import type { IncomingMessage, ServerResponse } from "node:http"
import { endsConnection } from "@sealway/kernel"

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** Serves the requests of each connection up to one with `Upgrade`, after whose answer it closes. See `endsConnection`. */
export function untilUpgrade(serve: Serve): Serve {
  const ending = new WeakSet<IncomingMessage["socket"]>()
  return (request, response) => {
    if (ending.has(request.socket)) return
    if (endsConnection(request.rawHeaders)) {
      ending.add(request.socket)
      response.shouldKeepAlive = false
    }
    serve(request, response)
  }
}
