import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type Server,
  type ServerResponse,
} from "node:http"
import { finished, pipeline } from "node:stream"
import { headersWithout, JsonDepthError, JsonSyntaxError, type RawHeaders } from "@sealway/kernel"
import { agentProblem } from "../service/agent-problem.ts"
import { checkJson } from "../service/check-json.ts"
import { MAX_DECRYPT_BYTES } from "./agent-server.ts"
import { answerProblem, type OnError } from "./answer-problem.ts"
import { isJson, readRequestBody } from "./read-request-body.ts"
import { untilUpgrade } from "./until-upgrade.ts"

export interface IngressDependencies {
  /** The port of the program, on the loopback address. */
  readonly targetPort: number
  /** Decrypts the tokens of a JSON value. */
  readonly decrypt: (data: Buffer) => Promise<Buffer>
  readonly onError: OnError
}

const MAX_CONNECTIONS = 64
const TARGET_TIMEOUT_MS = 60_000

/** Headers of one connection (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

/**
 * Creates the server in front of the program: it decrypts the tokens in bodies of JSON and passes everything else on
 * unchanged. A request whose tokens are refused does not reach the program.
 */
export function createIngressServer({ targetPort, decrypt, onError }: IngressDependencies): Server {
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = isJson(request) ? await readRequestBody(request, MAX_DECRYPT_BYTES) : null
    const content = body !== null && (await mayHoldTokens(body)) ? await decrypt(body) : body
    await passOn(request, response, content)
  }

  /** @param content the body; null to pass it on as it arrives */
  function passOn(request: IncomingMessage, response: ServerResponse, content: Buffer | null): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown) =>
        reject(agentProblem("service-unavailable", "The program in the enclave does not answer.", { cause }))
      const outgoing = openRequest({
        host: "127.0.0.1",
        port: targetPort,
        method: request.method,
        path: request.url,
        headers: content === null ? unreadHeaders(request) : readHeaders(request, content),
        timeout: TARGET_TIMEOUT_MS,
      })
      outgoing.on("timeout", () => outgoing.destroy(new Error("The program takes too long")))
      outgoing.on("error", fail)
      outgoing.on("response", (answer) => {
        try {
          response.writeHead(answer.statusCode ?? 502, [...endToEnd(answer)])
        } catch (error) {
          // A status that is none. Thrown here, it would end the agent.
          outgoing.destroy()
          return fail(error)
        }
        pipeline(answer, response, (error) => (error ? fail(error) : resolve()))
      })
      finished(response, () => outgoing.destroy())
      if (content !== null) outgoing.end(content)
      else pipeline(request, outgoing, (error) => error && fail(error))
    })
  }

  const server = createServer(
    untilUpgrade((request, response) => {
      serve(request, response).catch((error: unknown) => answerProblem(response, error, onError))
    }),
  )
  server.maxConnections = MAX_CONNECTIONS
  return server
}

/** Whether it is JSON in which a token may be. Any other body is the program's affair. */
async function mayHoldTokens(body: Buffer): Promise<boolean> {
  if (!body.includes("ev:") && !body.includes("\\u")) return false
  try {
    await checkJson(body)
    return true
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonDepthError) return false
    throw error
  }
}

function endToEnd({ rawHeaders }: IncomingMessage): RawHeaders {
  return headersWithout(rawHeaders, (name) => HOP_BY_HOP.has(name))
}

/**
 * The headers for a body that is passed on as it arrives. One in chunks stays so: Node.js sends the body of a GET or
 * DELETE without a length unframed otherwise, and the program would take it for further requests.
 */
function unreadHeaders(request: IncomingMessage): string[] {
  const isInChunks = request.headers["transfer-encoding"] !== undefined
  return [...endToEnd(request), ...(isInChunks ? ["transfer-encoding", "chunked"] : [])]
}

function readHeaders(request: IncomingMessage, content: Buffer): string[] {
  const kept = headersWithout(endToEnd(request), (name) => name === "content-length")
  return [...kept, "content-length", String(content.length)]
}
