import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { setTimeout as delay } from "node:timers/promises"
import { errorCodeOf } from "@sealway/kernel"

/**
 * Relays and webhook endpoints of the folders lead to this port of 127.0.0.1. The system does not give it to others.
 */
export const RECEIVER_PORT = 7499

export interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The server that records of the folders lead to: it answers every request with its own body. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: ReceivedRequest[]
}

/** Waits while another process has the port: the same test of another copy of this repository. */
export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString()
    received.push({ path: request.url ?? "", headers: request.headers, body })
    response.writeHead(200, { "content-type": "application/json" }).end(body || "{}")
  })
  for (;;) {
    server.listen(RECEIVER_PORT, "127.0.0.1")
    try {
      await once(server, "listening")
      break
    } catch (error) {
      if (errorCodeOf(error) !== "EADDRINUSE") throw error
      await delay(100)
    }
  }
  return {
    url: `http://127.0.0.1:${RECEIVER_PORT}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
