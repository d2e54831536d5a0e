import { once } from "node:events"
import { createServer } from "node:http"

/**
 * Starts the minimum that node:http needs for a JSON request, in this process: read it, parse it, write it back.
 *
 * @returns its address
 */
export async function startEcho(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()))
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      })
      response.end(body)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("The server has no port")
  return `http://127.0.0.1:${address.port}`
}
