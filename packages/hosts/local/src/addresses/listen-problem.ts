import { errorCodeOf } from "@sealway/kernel"

/** The addresses that a start listens on. */
export interface ListenAddresses {
  readonly host: string
  readonly port: number
  readonly relayPort: number
  readonly proxyPort: number
  readonly strictProxyPort: number
}

/** The listeners, and the option that selects the port of each. */
export const LISTENERS = [
  { port: "port", option: "--port", server: "the API" },
  { port: "relayPort", option: "--relay-port", server: "relays" },
  { port: "proxyPort", option: "--proxy-port", server: "the forward proxy" },
  {
    port: "strictProxyPort",
    option: "--strict-proxy-port",
    server: "the forward proxy that challenges for credentials",
  },
] as const satisfies readonly { port: keyof ListenAddresses; option: string; server: string }[]

/**
 * Says which port is not available, and which option selects a different one. Null when the error has another cause.
 */
export function explainListenError(error: unknown, addresses: ListenAddresses): string | null {
  const code = errorCodeOf(error)
  if (!(error instanceof Error) || !("syscall" in error) || error.syscall !== "listen") return null
  if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT" || code === "EINVAL") {
    return `This machine cannot listen on ${addresses.host}: it is not one of its addresses. Choose another with --host.`
  }
  const port = "port" in error ? error.port : undefined
  const listener = LISTENERS.find((each) => addresses[each.port] === port)
  if (listener === undefined) return null
  const where = `Port ${port}, for ${listener.server},`
  if (code === "EADDRINUSE") {
    return `${where} is in use by another process. Choose another port with ${listener.option}, or --port 0 for free ones.`
  }
  if (code === "EACCES") return `${where} needs root privileges. Choose another port with ${listener.option}.`
  return null
}
