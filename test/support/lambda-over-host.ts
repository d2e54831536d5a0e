import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { type FunctionHost, LAMBDA_RUNTIMES, LANGUAGES } from "@sealway/ports"
import * as z from "zod"

/** A server of Lambda, and of CloudWatch Logs for its functions. */
export interface LambdaServer {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string
  close(): void
}

const FUNCTION = /^\/2015-03-31\/functions(?:\/(?<name>[^/]+)(?:\/(?<part>[a-z]+))?)?$/
const creationSchema = z.object({
  FunctionName: z.string(),
  Runtime: z.string(),
  Handler: z.string(),
  Timeout: z.number(),
  MemorySize: z.number(),
  Code: z.object({ ZipFile: z.base64() }),
})

/** Serves customers' functions by a host of another kind, for programs that run as in AWS. Signatures are not checked. */
export async function serveLambda(host: FunctionHost): Promise<LambdaServer> {
  async function answer(method: string, url: string, body: string): Promise<string | null> {
    const { name = "", part } = FUNCTION.exec(url)?.groups ?? {}
    // Log groups are there with the function.
    if (url === "/") return "{}"
    if (name === "") return create(body)
    if (method === "DELETE") return host.remove(name).then(() => "")
    if (part === "configuration") return (await host.stateOf(name)) === "active" ? '{"State":"Active"}' : null
    const called = await host.invoke(name, Buffer.from(body), 30_000)
    return called.kind === "answered" ? called.answer.toString() : null
  }

  async function create(body: string): Promise<string> {
    const { FunctionName, Runtime, Handler, Timeout, MemorySize, Code } = creationSchema.parse(
      JSON.parse(body),
    )
    await host.create({
      name: FunctionName,
      language: LANGUAGES.find((language) => LAMBDA_RUNTIMES[language] === Runtime) ?? "node@24",
      handler: Handler,
      zip: Buffer.from(Code.ZipFile, "base64"),
      timeoutSeconds: Timeout,
      memoryMb: MemorySize,
    })
    return JSON.stringify({ FunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${FunctionName}` })
  }

  const server = createServer(async (request, response) => {
    const { method = "", url = "" } = request
    const answered = await answer(method, url, await text(request))
    if (answered !== null) response.end(answered)
    else response.writeHead(404, { "x-amzn-errortype": "ResourceNotFoundException" }).end("{}")
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() }
}
