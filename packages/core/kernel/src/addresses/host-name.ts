import { domainToASCII, domainToUnicode } from "node:url"

/** RFC 1035 section 2.3.4, as DNS counts it, without the final dot. */
const MAX_CHARACTERS = 253
/** RFC 1123 section 2.1: letters, digits and hyphens, and no hyphen at either end. */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
/** The same with underscores, which many private networks use, and Docker in names of services. */
const LABEL_OR_UNDERSCORES = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/
/** What URL parsers read as the end of an IPv4 address (WHATWG URL, "ends in a number checker"). */
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/

export interface HostNameRules {
  /** Default: false, as in RFC 1123. */
  readonly allowUnderscores?: boolean
}

/**
 * Whether text is a host name: labels of RFC 1123, of which those that begin with `xn--` are A-labels of RFC 5890, and
 * no final dot. Other labels with two hyphens in the third and fourth place are reserved there, but are in use.
 *
 * @param text in lower case. An IP address is not a host name
 */
export function isHostName(text: string, { allowUnderscores = false }: HostNameRules = {}): boolean {
  if (text.length > MAX_CHARACTERS) return false
  const labels = text.split(".")
  const pattern = allowUnderscores ? LABEL_OR_UNDERSCORES : LABEL
  if (NUMBER.test(labels.at(-1) ?? "")) return false
  return labels.every((label) => pattern.test(label) && (!label.startsWith("xn--") || isALabel(label)))
}

/** Whether a label is the only spelling of what it means in Unicode. Node.js versions differ in how they say that it is not. */
function isALabel(label: string): boolean {
  const unicode = domainToUnicode(label)
  return unicode !== label && domainToASCII(unicode) === label
}
