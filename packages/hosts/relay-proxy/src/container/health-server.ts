import { once } from "node:events"
import { createServer } from "node:http"
import { portOf } from "../port-of.ts"

/** Answers load balancers' health checks. */
export interface HealthServer {
  readonly port: number
  /** Reports unhealthy from now on. */
  retire(): void
  close(): Promise<void>
}

const PATH = "/health"

/**
 * Starts the server. `GET /health` answers 200, or 503 while unhealthy and once retired; nothing else can be learned
 * from it.
 */
export async function startHealthServer(options: {
  readonly port: number
  readonly host: string
  readonly isWell: () => boolean
}): Promise<HealthServer> {
  let isRetired = false
  const server = createServer(({ url }, response) => {
    const status = url === PATH ? (isRetired || !options.isWell() ? 503 : 200) : 404
    response.writeHead(status, { "content-length": 0, "cache-control": "no-store" }).end()
  })
  server.listen(options.port, options.host)
  await once(server, "listening")
  return {
    port: portOf(server),
    retire() {
      isRetired = true
    },
    async close() {
      const closed = once(server, "close")
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
