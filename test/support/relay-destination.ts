import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface ArrivedRequest {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A server on loopback that relays lead to, without TLS. */
export interface RelayDestination extends AsyncDisposable {
  /** As relays name it. */
  readonly destinationDomain: string
  /** Requests, in the order in which they arrived. */
  readonly arrived: ArrivedRequest[]
}

/** Answers with the request's own body. */
export function echo({ headers, body }: ArrivedRequest, response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": headers["content-type"] ?? "text/plain",
    ...(headers["content-encoding"] !== undefined && { "content-encoding": headers["content-encoding"] }),
  })
  response.end(body)
}

/** @param answer what it does with a request, once all of that has arrived. Default: `echo` */
export async function startRelayDestination(
  answer: (request: ArrivedRequest, response: ServerResponse) => void = echo,
): Promise<RelayDestination> {
  const arrived: ArrivedRequest[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    const { method = "", url: target = "", headers } = request
    try {
      const body = Buffer.concat(await Array.fromAsync<Buffer>(request))
      const one = { method, target, headers, body }
      arrived.push(one)
      answer(one, response)
    } catch {
      // A relay that refuses a request while it passes it on disconnects.
      response.destroy()
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    destinationDomain: `http://127.0.0.1:${port}`,
    arrived,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
