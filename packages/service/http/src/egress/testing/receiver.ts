import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver extends AsyncDisposable {
  readonly port: number
  /** `http://127.0.0.1:<port>/` */
  readonly url: string
  readonly received: ReceivedRequest[]
}

export type Answer = (request: ReceivedRequest, response: ServerResponse, raw: IncomingMessage) => void

/** Starts a server on loopback that gives the configured answer to each request, once it has read it. */
export async function startReceiver(answer: Answer): Promise<Receiver> {
  const received: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request
      const one = { method, path, headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      answer(one, response, request)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
