import type { ClientConnection } from "@sealway/http/ingress"
import type { Destination, ProxyMode } from "@sealway/relay"
import type { RelayError } from "@sealway/relay-engine"
import type { ProxyCredentials, RelayHandler } from "../exchange.ts"

/** What is known about a client's connection, besides what is sent on it. */
export interface ConnectionContext {
  readonly mode: ProxyMode
  /** Whether the client uses TLS. */
  readonly scheme: Destination["scheme"]
  /** The client's address. */
  readonly ip: string
  /**
   * The host of the CONNECT that created it, in lower case: all requests on it are for that host. Null outside tunnels.
   */
  readonly tunnel: {
    readonly host: string
    readonly port: number
    readonly credentials: ProxyCredentials | null
  } | null
  /** Answers its requests. */
  readonly handler: RelayHandler
}

/** A client's connection to a relay. */
export type RelayConnection = ClientConnection<ConnectionContext, RelayError>
