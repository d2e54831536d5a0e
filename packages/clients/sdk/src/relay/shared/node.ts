import { once } from "node:events"
import { request as requestOverHttp } from "node:http"
import { request as requestOverHttps } from "node:https"
import { Readable } from "node:stream"

/**
 * Sends a request to an address that several hosts share, and names the host. `fetch` cannot: it takes the Host header
 * from the address.
 */
export async function fetchFromHost(host: string, address: string, init: RequestInit): Promise<Response> {
  const request = new Request(address, init)
  const body = Buffer.from(await request.arrayBuffer())
  const send = address.startsWith("https:") ? requestOverHttps : requestOverHttp
  const sent = send(address, {
    method: request.method,
    headers: { ...Object.fromEntries(request.headers), host, "content-length": body.length },
    signal: request.signal,
  })
  sent.end(body)
  const [response] = await once(sent, "response")
  return responseOf(response)
}

function responseOf(message: Readable & { statusCode?: number; rawHeaders: readonly string[] }): Response {
  const { statusCode: status = 502, rawHeaders } = message
  const headers = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "")
  }
  const hasBody = ![101, 204, 205, 304].includes(status)
  if (!hasBody) message.resume()
  return new Response(hasBody ? Readable.toWeb(message) : null, { status, headers })
}
