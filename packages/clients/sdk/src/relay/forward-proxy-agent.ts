import { type IncomingMessage, request as requestOverHttp } from "node:http"
import { Agent, type RequestOptions, request as requestOverHttps } from "node:https"
import { isIP, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { connect as connectOverTls, rootCertificates } from "node:tls"
import { ConnectionError, SealwayError } from "../errors/errors.ts"
import { unreachable } from "../errors/unreachable.ts"
import { basicAuthorization } from "../requests/authorization.ts"
import { parseServiceAddress } from "../requests/service-address.ts"

export interface ForwardProxyOptions {
  /** The relay's forward proxy: `https://proxy.relay.example.com:443`, locally `$SEALWAY_PROXY_URL`. */
  readonly proxyUrl: string | undefined
  readonly appId: string | undefined
  readonly apiKey: string | undefined
  /** The certificate authority of the proxy, in PEM. Fetch it once, over a way that you trust. */
  readonly ca: string
  /** Allows a `proxyUrl` that begins with `http://` on other machines than this one. Default: false. */
  readonly allowHttp?: boolean
  /** How long the proxy may take to open a tunnel. Default: 15,000. */
  readonly timeoutMs?: number
}

/**
 * Creates an agent for `node:https` that sends requests through the forward proxy, where the app's relays encrypt and
 * decrypt them: `https.request(url, { agent })`. The proxy refuses destinations without a relay.
 *
 * @throws TypeError if an option is wrong
 */
export function createForwardProxyAgent({
  proxyUrl,
  appId,
  apiKey,
  ca,
  allowHttp = false,
  timeoutMs = 15_000,
}: ForwardProxyOptions): Agent {
  const proxy = new URL(parseServiceAddress("proxyUrl", proxyUrl, allowHttp))
  const authorization = basicAuthorization(["appId", appId], ["apiKey", apiKey])
  if (typeof ca !== "string" || !ca.includes("-----BEGIN CERTIFICATE-----")) {
    throw new TypeError("ca must be a certificate in PEM.")
  }

  const openTunnel = async (host: string, port: number): Promise<Socket> => {
    const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`
    const send = proxy.protocol === "https:" ? requestOverHttps : requestOverHttp
    const connecting = send({
      host: proxy.hostname.replace(/^\[|\]$/g, ""),
      port: proxy.port || undefined,
      agent: false,
      ca: [...rootCertificates, ca],
      method: "CONNECT",
      path: authority,
      timeout: timeoutMs,
      headers: { host: authority, "proxy-authorization": authorization() ?? "" },
    })
    return new Promise((resolve, reject) => {
      const refused = ({ statusCode = 0, headers }: IncomingMessage) => {
        const code = headers["x-service-error-code"]
        const isCode = typeof code === "string" && /^[a-z0-9/-]{1,100}$/.test(code)
        const message = `The forward proxy answered with the status ${statusCode}.`
        return new SealwayError(isCode ? code : "unexpected-response", message)
      }
      const fail = (error: SealwayError) => {
        connecting.destroy()
        reject(error)
      }
      connecting.once("connect", (response, socket, head) => {
        if (response.statusCode === 200 && head.length === 0) return resolve(socket)
        socket.destroy()
        reject(refused(response))
      })
      connecting.once("response", (response) => fail(refused(response)))
      const late = "The forward proxy did not answer in time."
      connecting.once("timeout", () => fail(new ConnectionError("connection-timeout", late)))
      connecting.once("error", (error) => fail(unreachable("The forward proxy", error)))
      connecting.end()
    })
  }
  return new ForwardProxyAgent(ca, openTunnel)
}

type OpenTunnel = (host: string, port: number) => Promise<Socket>
type Opened = (error: Error | null, stream: Duplex) => void

class ForwardProxyAgent extends Agent {
  readonly #ca: string
  readonly #openTunnel: OpenTunnel

  constructor(ca: string, openTunnel: OpenTunnel) {
    super({ keepAlive: true })
    this.#ca = ca
    this.#openTunnel = openTunnel
  }

  /** The stream is given to `opened` once the tunnel is there. */
  override createConnection(options: RequestOptions, opened?: Opened): undefined {
    const { host, port, servername } = options
    const destination = host ?? "localhost"
    this.#openTunnel(destination, Number(port ?? 443)).then(
      (socket) => {
        const name = servername || (isIP(destination) === 0 ? destination : undefined)
        opened?.(
          null,
          connectOverTls({
            socket,
            // What the certificate must be for. Without it, that of an address would be checked against the proxy's name.
            host: destination,
            ca: this.#ca,
            ...(name && { servername: name }),
            ALPNProtocols: ["http/1.1"],
          }),
        )
      },
      // The agent reads no stream beside an error.
      (error: Error) => opened?.(error, undefined as never),
    )
    return undefined
  }
}
