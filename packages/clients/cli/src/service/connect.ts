import { ConnectionError, createTransport, type Transport } from "@sealway/sdk/api"
import { CredentialsFailure, UnavailableFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import type { ServiceUrl } from "./service-address.ts"

export interface Credentials {
  /** App id; null: the key alone identifies the app or the team. */
  readonly app: string | null
  readonly key: string
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/

/**
 * Creates what sends calls to the service. They end when the user gives up.
 *
 * @param timeoutMs how long one attempt may take, from the first byte sent to the last received
 * @throws CredentialsFailure when the key cannot be sent
 */
export function connect(
  host: CliHost,
  url: ServiceUrl,
  { app, key }: Credentials,
  timeoutMs: number,
): Transport {
  if (!VISIBLE_ASCII.test(key)) {
    throw new CredentialsFailure("The key contains invalid characters. Did you paste something else?")
  }
  // With the app's id as user name a key of another app is refused, instead of used by mistake.
  const authorization = `Basic ${Buffer.from(`${app ?? ""}:${key}`).toString("base64")}`
  const transport = createTransport(
    {
      baseUrl: url,
      timeoutMs,
      authorization: () => authorization,
      fetch: (address, { headers, ...request }) =>
        host.fetch(address, { ...request, headers: { ...headers, "user-agent": "sealway-cli" } }),
    },
    { wallClock: host.wallClock, sleep: (ms, signal = host.signal) => host.sleep(ms, signal) },
  )
  return {
    async send(request, options) {
      try {
        return await transport.send(request, { signal: host.signal, ...options })
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error
        throw new UnavailableFailure(reasonOf(url, error, timeoutMs), { cause: error })
      }
    },
  }
}

/** Says in a sentence why there was no answer. */
function reasonOf(url: ServiceUrl, { code, reason, message }: ConnectionError, timeoutMs: number): string {
  if (code === "connection-timeout") return `${url} did not respond within ${timeoutMs / 1000} s.`
  if (code !== "connection-failed") return message
  if (reason === "ECONNREFUSED") return `${url} refused the connection. Is the service running?`
  if (reason === "ENOTFOUND" || reason === "EAI_AGAIN") return `The host of ${url} was not found.`
  if (reason !== null && /CERT|TLS|SSL|SELF_SIGNED|ISSUER/.test(reason)) {
    return `The certificate of ${url} is not trusted (${reason}).`
  }
  return `${url} cannot be reached${reason === null ? "" : ` (${reason})`}.`
}
