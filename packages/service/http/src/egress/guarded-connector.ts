import { isIP, type LookupFunction, type Socket } from "node:net"
import type { SecureContext } from "node:tls"
import { type DestinationRules, isAdmittedAddress } from "@sealway/kernel"
import { buildConnector } from "undici"
import { EgressError } from "./egress-error.ts"

export interface GuardedConnectorOptions extends DestinationRules {
  readonly lookup: LookupFunction
  /** Covers name resolution, TCP and TLS. */
  readonly connectTimeoutMs: number
  /**
   * The trusted authorities, and the client certificate. Default: the authorities that Node.js trusts, and no
   * certificate.
   */
  readonly secureContext?: SecureContext
}

/**
 * Connects only to allowed addresses. It checks the address that is actually connected to, after each name resolution,
 * so that a name that resolves to a different address the second time (DNS rebinding) gains nothing.
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
    // Literal addresses skip the lookup.
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

/** Refuses a name if any of its addresses is not allowed: such an answer is a mistake or an attack. */
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

/** A second check behind the lookup, in case a connection is ever made without it. */
function isConnectedToAdmitted({ remoteAddress }: Socket, isAdmitted: (address: string) => boolean): boolean {
  return remoteAddress !== undefined && isAdmitted(remoteAddress)
}
