import { randomFillSync } from "node:crypto"

/** A position in a distributed trace, as its headers name it. (W3C Trace Context) */
export interface TraceContext {
  /** 32 hexadecimal digits, not all 0. */
  readonly traceId: string
  /** The flags `sampled` and `random`, as a byte. */
  readonly flags: number
  /** The header `tracestate`, passed on unchanged; null for none. */
  readonly tracestate: string | null
}

/** Version, trace id, parent id and flags, and what a later version may add (section 3.2 and 4.3). */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const MAX_TRACEPARENT_CHARACTERS = 512
/** `sampled` (level 1) and `random` (level 2). The others are reserved, and must be sent as 0. */
const KNOWN_FLAGS = 0x03

/** What everybody must pass on at least (section 3.3.1.5). */
const MAX_TRACESTATE_CHARACTERS = 512
const MAX_TRACESTATE_MEMBERS = 32
const KEY = String.raw`(?:[a-z][_0-9a-z\-*/]{0,255}|[a-z0-9][_0-9a-z\-*/]{0,240}@[a-z][_0-9a-z\-*/]{0,13})`
const MEMBER = new RegExp(
  String.raw`^${KEY}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$`,
)

const SPAN_BYTES = 8

/**
 * Reads the headers of a request. A malformed `traceparent` counts as none, and so does one that occurs twice, as
 * gateways join them with a comma. A malformed or longer `tracestate` is left out.
 *
 * @param tracestate several headers joined by commas. Default: none
 * @returns null when the request belongs to no trace
 */
export function readTraceContext(
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | null {
  if (traceparent === undefined || traceparent.length > MAX_TRACEPARENT_CHARACTERS) return null
  const [, version, traceId = "", parentId = "", flags = "", rest] = TRACEPARENT.exec(traceparent) ?? []
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined)) return null
  if (/^0*$/.test(traceId) || /^0*$/.test(parentId)) return null
  return { traceId, flags: Number.parseInt(flags, 16) & KNOWN_FLAGS, tracestate: readTracestate(tracestate) }
}

/** Returns the `traceparent` of what a request causes: the same trace, with a new id as its parent. */
export function childTraceparent({ traceId, flags }: Pick<TraceContext, "traceId" | "flags">): string {
  const parentId = randomFillSync(Buffer.allocUnsafe(SPAN_BYTES))
  // All 0 is no valid id.
  if (parentId.every((byte) => byte === 0)) parentId[0] = 1
  return `00-${traceId}-${parentId.toString("hex")}-${flags.toString(16).padStart(2, "0")}`
}

function readTracestate(text: string | undefined): string | null {
  if (text === undefined || text.length > MAX_TRACESTATE_CHARACTERS) return null
  const members = text
    .split(",")
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((member) => member !== "")
  if (members.length === 0 || members.length > MAX_TRACESTATE_MEMBERS) return null
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf("="))))
  return keys.size === members.length && members.every((member) => MEMBER.test(member))
    ? members.join(",")
    : null
}
