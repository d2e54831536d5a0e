import { once } from "node:events"
import { createServer, request } from "node:http"
import { pipeline } from "node:stream/promises"

export interface DomainAddress extends AsyncDisposable {
  /** `http://127.0.0.1:40000` */
  readonly url: string
}

/** Leads a port of loopback to a domain of the emulator, which knows its domains by the Host header: in place of DNS. */
export async function startDomainAddress(domain: string, endpoint: string): Promise<DomainAddress> {
  const server = createServer(async (received, answer) => {
    const { method, url: path, headers } = received
    const passed = request(new URL(path ?? "/", endpoint), { method, headers: { ...headers, host: domain } })
    passed.on("response", (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      pipeline(got, answer).catch(() => answer.destroy())
    })
    await pipeline(received, passed).catch(() => answer.destroy())
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server has no port.")
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
