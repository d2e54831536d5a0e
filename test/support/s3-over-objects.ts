import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import type { OpenObjects } from "@sealway/ports"

/** A server of S3. */
export interface S3Server {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string
  close(): void
}

/** Serves whole objects by other objects, for programs that run as in AWS. Signatures are not checked. */
export async function serveS3(openObjects: OpenObjects): Promise<S3Server> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://127.0.0.1")
    const [, bucket = "", ...rest] = pathname.split("/")
    const objects = openObjects(bucket, Date.now)
    const key = decodeURIComponent(rest.join("/"))
    if (request.method === "PUT") await objects.put(key, await buffer(request))
    else if (request.method === "DELETE") await objects.remove(key)
    const found = request.method === "GET" ? await objects.get(key) : new Uint8Array()
    if (found === null) response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>")
    else response.end(found)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() }
}
