import type { ClientConnection } from "@sealway/platform/ingress"
import type { ProxyMode } from "@sealway/relay"
import type { RelayError } from "@sealway/relay-engine"
import type { ProxyCredentials, RelayHandler } from "../exchange.ts"

/** What is known of a client's connection, beside what is sent on it. */
export interface ConnectionContext {
  readonly mode: ProxyMode
  /** The client's address. */
  readonly ip: string
  /** Whom requests on it are for: the host of the CONNECT that made it, in lower case. Null outside tunnels. */
  readonly tunnel: {
    readonly host: string
    readonly port: number
    readonly credentials: ProxyCredentials | null
  } | null
  /** Answers its requests. */
  readonly handler: RelayHandler
}

/** A connection of a relay's client. */
export type RelayConnection = ClientConnection<ConnectionContext, RelayError>
