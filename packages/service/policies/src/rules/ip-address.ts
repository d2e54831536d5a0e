import { isIPv4, isIPv6 } from "node:net"

interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** A range as it is written: its address may have bits beyond the prefix. */
export interface IpRange extends Address {
  readonly prefix: number
}

/** The block ::ffff:0:0/96 of IPv4-mapped addresses (RFC 4291, section 2.5.5.2). */
const MAPPED_BLOCK = 0xffffn << 32n

/**
 * Normalises an address for comparison; null when it is invalid. An IPv4-mapped IPv6 address becomes the IPv4 address
 * that it represents; a zone (`%eth0`) is refused.
 */
export function normalizeIp(text: string): string | null {
  const address = parseAddress(text)
  return address && formatAddress(address)
}

/**
 * Normalises a range in CIDR notation (RFC 4632, RFC 4291) for comparison; null when it is invalid. A single address is
 * a range of one. Bits beyond the prefix must be zero: if they are not, the address or the prefix is a mistake. A range
 * of IPv4-mapped addresses becomes the IPv4 range that it represents.
 */
export function normalizeIpRange(text: string): string | null {
  const [base = "", prefixText, ...rest] = text.split("/")
  const written = base.includes(":") ? parseIpv6(base) : parseAddress(base)
  if (written === null || rest.length > 0) return null
  const prefix = prefixText === undefined ? written.bits : parsePrefix(prefixText, written.bits)
  if (prefix === null) return null
  if ((written.value & ((1n << BigInt(written.bits - prefix)) - 1n)) !== 0n) return null
  // A prefix shorter than 96 leaves none of the bits that mark a mapped address.
  const address = unmapped(written)
  return `${formatAddress(address)}/${prefix - (written.bits - address.bits)}`
}

/**
 * Parses a range, or an address as a range of one, as Cedar does; null when it is invalid. An IPv4-mapped address stays
 * one of IPv6, and cannot be written with dots.
 */
export function parseIpRange(text: string): IpRange | null {
  const [base = "", prefixText, ...rest] = text.split("/")
  if (rest.length > 0 || (base.includes(":") && base.includes("."))) return null
  const address = isIPv4(base) ? { bits: 32 as const, value: ipv4Value(base) } : parseIpv6(base)
  if (address === null) return null
  const prefix = prefixText === undefined ? address.bits : parsePrefix(prefixText, address.bits)
  return prefix === null ? null : { ...address, prefix }
}

function parsePrefix(text: string, bits: number): number | null {
  if (!/^(0|[1-9][0-9]{0,2})$/.test(text)) return null
  const prefix = Number(text)
  return prefix <= bits ? prefix : null
}

function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return { bits: 32, value: ipv4Value(text) }
  const address = parseIpv6(text)
  return address && unmapped(address)
}

function unmapped(address: Address): Address {
  if (address.bits === 32 || address.value >> 32n !== MAPPED_BLOCK >> 32n) return address
  return { bits: 32, value: address.value & 0xffff_ffffn }
}

function ipv4Value(text: string): bigint {
  return text.split(".").reduce((value, octet) => (value << 8n) | BigInt(octet), 0n)
}

function parseIpv6(text: string): Address | null {
  if (!isIPv6(text) || text.includes("%")) return null
  const tail = text.slice(text.lastIndexOf(":") + 1)
  const plain = isIPv4(tail) ? text.slice(0, -tail.length) + hexGroups(ipv4Value(tail), 2).join(":") : text
  const [head = "", rest] = plain.split("::")
  const before = head === "" ? [] : head.split(":")
  const after = rest === undefined || rest === "" ? [] : rest.split(":")
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0")
  const value = [...before, ...zeros, ...after].reduce(
    (sum, group) => (sum << 16n) | BigInt(`0x${group}`),
    0n,
  )
  return { bits: 128, value }
}

function hexGroups(value: bigint, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    ((value >> BigInt(16 * (count - 1 - index))) & 0xffffn).toString(16),
  )
}

function formatAddress({ bits, value }: Address): string {
  if (bits === 128) return hexGroups(value, 8).join(":")
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".")
}
