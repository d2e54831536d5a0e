import { type IncomingHttpHeaders, request } from "node:http"

export interface RelayRequest {
  readonly relayDomain: string
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface RelayAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Sends a request to a relay's domain, wherever that is served: with its length, unless `headers` say `chunked`. */
export function sendToRelay(
  relayUrl: string,
  { relayDomain, method = "POST", path = "/", headers = {}, body = "" }: RelayRequest,
): Promise<RelayAnswer> {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      path,
      headers: {
        host: relayDomain,
        ...(headers["transfer-encoding"] === undefined && { "content-length": Buffer.byteLength(body) }),
        ...headers,
      },
    }
    const sent = request(relayUrl, options, async (response) => {
      const chunks = await Array.fromAsync<Buffer>(response)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
    })
    sent.on("error", reject)
    sent.end(body)
  })
}
