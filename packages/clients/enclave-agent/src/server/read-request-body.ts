import type { IncomingMessage } from "node:http"
import { formatCount } from "@sealway/kernel"
import { agentProblem } from "../service/agent-problem.ts"

/** Reads a body. @throws AgentProblem when it is larger than allowed */
export async function readRequestBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) throw new TypeError("The request has an encoding")
    bytes += chunk.length
    if (bytes > maxBytes) {
      throw agentProblem("payload-too-large", `The body may have ${formatCount(maxBytes)} bytes.`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

/** Whether the body is JSON, in the clear. */
export function isJson({ headers }: IncomingMessage): boolean {
  const [mediaType = ""] = (headers["content-type"] ?? "").split(";")
  return (
    /^application\/(?:[\w.+-]+\+)?json$/i.test(mediaType.trim()) && headers["content-encoding"] === undefined
  )
}
