import { readFileSync } from "node:fs"
import { networkInterfaces } from "node:os"

/** The address of a function in its own network, and of the name server there. Reserved for documentation: nobody's. */
export const FUNCTION_ADDRESS = "192.0.2.1"
export const NAME_SERVER_PORT = 53

/** From linux/socket.h. */
const AF_INET = 2
const AF_INET6 = 10

export const RESOLV_CONF = "/etc/resolv.conf"

/** An address of a function's own network interface. */
interface OwnAddress {
  readonly family: typeof AF_INET | typeof AF_INET6
  /** Hexadecimal. */
  readonly bytes: string
}

const OWN_IPV4: OwnAddress = {
  family: AF_INET,
  bytes: Buffer.from(FUNCTION_ADDRESS.split(".").map(Number)).toString("hex"),
}
/** 2001:db8::1, reserved likewise. */
const OWN_IPV6: OwnAddress = { family: AF_INET6, bytes: "20010db8000000000000000000000001" }

/**
 * Returns the addresses of a function in its own network. An IPv6 one only where this machine has one: resolvers return
 * IPv6 addresses of servers to programs that have one themselves.
 */
export function ownAddresses(): readonly [OwnAddress, ...OwnAddress[]] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const hasIpv6 = all.some(({ family, internal, scopeid }) => family === "IPv6" && !internal && scopeid === 0)
  return hasIpv6 ? [OWN_IPV4, OWN_IPV6] : [OWN_IPV4]
}

/** Returns what a function reads as /etc/resolv.conf: this machine's search list and options, with its own server. */
export function resolvConf(path = RESOLV_CONF): string {
  const lines = readOptional(path).split("\n")
  const kept = lines.filter((line) => /^(?:search|domain|options)\s/.test(line))
  return [...kept, `nameserver ${FUNCTION_ADDRESS}`, ""].join("\n")
}

function readOptional(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
