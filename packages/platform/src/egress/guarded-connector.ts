import { isIP, type LookupFunction, type Socket } from "node:net"
import type { SecureContext } from "node:tls"
import { type DestinationRules, isAdmittedAddress } from "@sealway/kernel"
import { buildConnector } from "undici"
import { EgressError } from "./egress-error.ts"

export interface GuardedConnectorOptions extends DestinationRules {
  readonly lookup: LookupFunction
  /** For name resolution, TCP and TLS together. */
  readonly connectTimeoutMs: number
  /** Whom to trust, and the client's certificate. Default: the authorities that Node.js trusts, and no certificate. */
  readonly secureContext?: SecureContext
}

/**
 * Connects to admitted addresses only. Checked is the address that is connected to, after the name was resolved and at
 * every connection, so that a name which resolves to another address the second time (DNS rebinding) gains nothing.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { allowPrivate, lookup, connectTimeoutMs, secureContext } = options
  const isAdmitted = (address: string) => isAdmittedAddress(address, allowPrivate)
  const connect = buildConnector({
    lookup: guardLookup(lookup, isAdmitted),
    timeout: connectTimeoutMs,
    allowH2: false,
    ...(secureContext !== undefined && { secureContext }),
  })
  return (target, callback) => {
    // Literal addresses are never looked up.
    if (isIP(target.hostname) !== 0 && !isAdmitted(target.hostname)) {
      callback(new EgressError("destination-refused"), null)
      return
    }
    connect(target, (error, socket) => {
      if (error !== null) callback(error, null)
      else if (isConnectedToAdmitted(socket, isAdmitted)) callback(null, socket)
      else {
        socket.destroy()
        callback(new EgressError("destination-refused"), null)
      }
    })
  }
}

/** One address that is not admitted refuses the name: who answers so is either mistaken or trying. */
function guardLookup(lookup: LookupFunction, isAdmitted: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, "")
        return
      }
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }]
      const [first] = addresses
      if (first === undefined || !addresses.every(({ address }) => isAdmitted(address))) {
        callback(new EgressError("destination-refused"), "")
      } else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/** The lookup has refused already what is not admitted; this holds even if a connection were made without it. */
function isConnectedToAdmitted({ remoteAddress }: Socket, isAdmitted: (address: string) => boolean): boolean {
  return remoteAddress !== undefined && isAdmitted(remoteAddress)
}
