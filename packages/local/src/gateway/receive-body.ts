import type { IncomingMessage } from "node:http"
import { joinChunks } from "@sealway/platform"

/**
 * Collects a request's body. Resolves to null as soon as it is larger than `maxBytes`; what is left of it has then not
 * been read. When the sender goes away first, it never settles: there is nobody to answer, and nothing to clean up.
 */
export function receiveBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = []
    let length = 0
    const collect = (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxBytes) {
        chunks.push(chunk)
        return
      }
      chunks = []
      request.off("data", collect)
      request.pause()
      resolve(null)
    }
    request.on("data", collect)
    request.on("end", () => resolve(joinChunks(chunks)))
  })
}
