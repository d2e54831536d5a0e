import { SealwayError } from "../errors/errors.ts"
import { Pace } from "../work/pace.ts"
import { finish, type Work } from "../work/work.ts"
import { MAX_JSON_DEPTH } from "./json-problem.ts"
import { scanJsonInSteps } from "./scan-json.ts"

/** The position of a field's value: the bytes `[start, end)`. */
export interface MemberRange {
  readonly start: number
  readonly end: number
}

/** Thrown when a field name occurs twice in one object. */
export class RepeatedMemberError extends SealwayError {
  override readonly name = "RepeatedMemberError"
  constructor(detail: string) {
    super("invalid-request", detail)
  }
}

const OPEN_BRACE = 0x7b
const COLON = 0x3a
const COMMA = 0x2c
const CLOSE_BRACE = 0x7d
const WHITE_SPACE = new Set([0x20, 0x0a, 0x0d, 0x09])

/**
 * Locates the fields of a JSON object, so that a value can be passed on byte for byte, with its digits, order and white
 * space. Returns null when the document is JSON but not an object.
 *
 * @throws JsonSyntaxError, JsonDepthError, RepeatedMemberError
 */
export function readMembers(bytes: Buffer): ReadonlyMap<string, MemberRange> | null {
  return finish(readMembersInSteps(bytes))
}

const MEMBERS_PER_STEP = 512

/** `readMembers`, in steps. */
export function* readMembersInSteps(bytes: Buffer): Work<ReadonlyMap<string, MemberRange> | null> {
  const keys: { readonly name: string; readonly start: number; readonly end: number }[] = []
  let depth = 0
  const sink = {
    open: () => void depth++,
    close: () => void depth--,
    scalar: () => undefined,
    key(start: number, end: number) {
      if (depth === 1) keys.push({ name: String(JSON.parse(bytes.toString("utf8", start, end))), start, end })
    },
  }
  yield* scanJsonInSteps(bytes, sink, MAX_JSON_DEPTH)
  if (bytes[skipForward(bytes, 0)] !== OPEN_BRACE) return null

  const members = new Map<string, MemberRange>()
  const pace = new Pace(MEMBERS_PER_STEP)
  for (const [index, { name, end: keyEnd }] of keys.entries()) {
    if (pace.isDue()) yield
    if (members.has(name)) throw new RepeatedMemberError("an object has the same field name twice")
    const start = skipForward(bytes, expect(bytes, skipForward(bytes, keyEnd), COLON) + 1)
    const next = keys[index + 1]
    const behind = skipBackward(bytes, next?.start ?? bytes.length)
    const end = skipBackward(bytes, expect(bytes, behind - 1, next === undefined ? CLOSE_BRACE : COMMA))
    members.set(name, { start, end })
  }
  return members
}

/** The document was scanned before, so the byte is there. */
function expect(bytes: Buffer, at: number, byte: number): number {
  if (bytes[at] !== byte) throw new TypeError("The document is not as it was scanned")
  return at
}

function skipForward(bytes: Buffer, from: number): number {
  let at = from
  while (WHITE_SPACE.has(bytes[at] ?? -1)) at++
  return at
}

/** Returns the start of the white space that ends before `from`. */
function skipBackward(bytes: Buffer, from: number): number {
  let at = from
  while (WHITE_SPACE.has(bytes[at - 1] ?? -1)) at--
  return at
}
