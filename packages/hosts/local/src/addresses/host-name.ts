import { isHostName } from "@sealway/kernel"
import { inUrl, parseHostAddress } from "./host-address.ts"

const PORT = /:([1-9][0-9]{0,4})$/
const MAX_PORT = 65_535

/**
 * Parses a name that callers put into `Host`: a host name or an address, with a port to allow only that one. IPv6 is
 * normalised with brackets, as clients write it. Returns null when no client would send it.
 */
export function parseHostName(text: string): string | null {
  const bare = parseHostAddress(text)
  if (bare !== null) return inUrl(bare)
  const [portText = "", port = ""] = PORT.exec(text) ?? []
  if (Number(port) > MAX_PORT) return null
  const host = text.slice(0, text.length - portText.length)
  const address = isBracketed(host) || !host.includes(":") ? parseHostAddress(host) : null
  if (address !== null) return inUrl(address) + portText
  return isHostName(host.toLowerCase(), { allowUnderscores: true }) ? text : null
}

const isBracketed = (host: string) => host.startsWith("[") && host.endsWith("]")
