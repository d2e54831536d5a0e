import { once } from "node:events"
import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import type { Platform } from "@sealway/http"
import { type AuditWriter, createAuditWriter } from "@sealway/records"

/** Lambda with one function, the writer of the audit log. */
export interface AuditWriterServer {
  /** `http://127.0.0.1:<port>`. */
  readonly endpoint: string
  readonly functionName: string
  close(): Promise<void>
}

export interface AuditWriterFaults {
  /** Whether a call of the function is answered, after it was carried out. Default: each is. */
  readonly isAnswered?: () => boolean
}

/** Serves the writer as Lambda does, over the table of a platform. */
export async function serveAuditWriter(
  { auditTable }: Pick<Platform, "auditTable">,
  { isAnswered = () => true }: AuditWriterFaults = {},
): Promise<AuditWriterServer> {
  const functionName = "audit-writer"
  const write: AuditWriter = createAuditWriter(auditTable)
  const server = createServer(async (request, response) => {
    if (request.method !== "POST" || request.url !== `/2015-03-31/functions/${functionName}/invocations`) {
      response.writeHead(404, { "x-amzn-errortype": "ResourceNotFoundException" }).end("{}")
      return
    }
    try {
      const result = await write(await json(request))
      if (isAnswered()) response.end(JSON.stringify(result))
      else request.socket.destroy()
    } catch {
      response.writeHead(200, { "x-amz-function-error": "Unhandled" }).end('{"errorMessage":"a secret"}')
    }
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    endpoint: `http://127.0.0.1:${port}`,
    functionName,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
