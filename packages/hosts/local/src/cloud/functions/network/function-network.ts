import { BlockList, isIPv6 } from "node:net"
import { networkInterfaces } from "node:os"
import { isAdmittedAddress } from "@sealway/kernel"

/** What functions may connect to, from the most to the least. */
export const FUNCTION_NETWORKS = ["host", "private", "public", "none"] as const
/**
 * `public`: public addresses, except this machine's. `private`: private, link-local and loopback ones too, which are
 * this machine's. Neither: metadata services. `host`: whatever this machine reaches, by any protocol.
 */
export type FunctionNetwork = (typeof FUNCTION_NETWORKS)[number]
/** Networks in which Sealway makes each connection for the function. */
export type GuardedNetwork = Extract<FunctionNetwork, "private" | "public">

export function isGuarded(network: FunctionNetwork): network is GuardedNetwork {
  return network === "public" || network === "private"
}

/** @param address a literal IPv4 or IPv6 address; anything else is refused */
export function isReachable(network: GuardedNetwork, address: string): boolean {
  if (network === "private") return isAdmittedAddress(address, true)
  return isAdmittedAddress(address, false) && !isOwnAddress(address)
}

/** A machine reaches its own public address past every firewall in front of it. */
function isOwnAddress(address: string): boolean {
  const own = new BlockList()
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((each) => each ?? []))
    own.addAddress(address, family === "IPv6" ? "ipv6" : "ipv4")
  return own.check(address, isIPv6(address) ? "ipv6" : "ipv4")
}
