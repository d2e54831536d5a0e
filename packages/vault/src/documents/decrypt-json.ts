import {
  type Edit,
  InvalidRequestError,
  MAX_JSON_DEPTH,
  type MaybePromise,
  Pace,
  pointerAtOffsetInSteps,
  processTurns,
  spliceBytesInSteps,
  type Turns,
  type Work,
  waitFor,
  writeJsonString,
} from "@sealway/kernel"
import type { Decision, RoleRequest } from "@sealway/policies"
import type { OpenedValue } from "@sealway/tokens"
import type { TokenOpener } from "../values/token-opener.ts"
import type { DecryptedValues } from "./decrypted-values.ts"
import { DecryptionForbiddenError } from "./decryption-forbidden-error.ts"
import { type OpenedPlace, openTokens } from "./open-tokens.ts"

/** Decides on the roles of a request, each with the number of its values. */
export type DecideRoles = (roles: readonly RoleRequest[]) => Promise<ReadonlyMap<string, Decision>>

/** A document with its values in the clear, and how many were decrypted. */
export interface DecryptedJson {
  readonly bytes: Buffer
  readonly values: DecryptedValues
}

export interface DecryptJsonOptions {
  /**
   * Refuses a document without a token, and a string that starts like a token and is not a complete one. Default:
   * false.
   */
  readonly requiresTokens?: boolean
  /** Refuses values without a data role, which no policies protect. Default: false. */
  readonly requiresRoles?: boolean
  /** The turns of long-running work. Default: the process's. */
  readonly turns?: Turns
}

/**
 * Replaces every token of a JSON document by its value. Everything else stays byte for byte.
 *
 * @param decide called once with all roles in the document; not at all when there are none
 * @throws InvalidRequestError when the document is not JSON, is nested too deep, or holds a token that does not open
 * @throws DecryptionForbiddenError when any value may not be decrypted: then none is
 */
export function decryptJson(
  bytes: Buffer,
  opener: TokenOpener,
  decide: DecideRoles,
  { turns = processTurns, ...rules }: DecryptJsonOptions = {},
): MaybePromise<DecryptedJson> {
  return turns.run(decryptInSteps(bytes, opener, decide, rules))
}

const VALUES_PER_STEP = 512
const ROLES_PER_STEP = 4_096

function* decryptInSteps(
  bytes: Buffer,
  opener: TokenOpener,
  decide: DecideRoles,
  { requiresTokens = false, requiresRoles = false }: Omit<DecryptJsonOptions, "turns">,
): Work<DecryptedJson> {
  const places = yield* openTokens(bytes, opener, requiresTokens ? "refuse" : "pass")
  if (requiresTokens && places.length === 0) {
    throw new InvalidRequestError("The body contains no encrypted value.")
  }
  const values = yield* checkRoles(bytes, places, decide, requiresRoles)
  const edits: Edit[] = []
  const pace = new Pace(VALUES_PER_STEP)
  for (const { place, opened } of places) {
    if (pace.isDue(opened.value.length)) yield
    const literal = literalOf(opened)
    const text = typeof literal === "string" ? literal : yield* literal
    edits.push({ start: place.start, end: place.end, text })
  }
  return { bytes: yield* spliceBytesInSteps(bytes, edits), values }
}

/** Checks the roles of all opened tokens. @returns the opened tokens, all of them permitted */
function* checkRoles(
  bytes: Buffer,
  places: readonly OpenedPlace[],
  decide: DecideRoles,
  requiresRoles: boolean,
): Work<DecryptedValues> {
  const firstStarts = new Map<string, number>()
  const roles = new Map<string, number>()
  const pace = new Pace(ROLES_PER_STEP)
  let withoutRole = 0
  for (const { place, opened } of places) {
    if (pace.isDue()) yield
    const { role } = opened
    if (role === null) {
      if (requiresRoles) {
        const pointer = yield* pointerAtOffsetInSteps(bytes, place.start, MAX_JSON_DEPTH)
        throw new DecryptionForbiddenError(pointer, { role, reason: "no-role", policyIds: [] })
      }
      withoutRole++
      continue
    }
    const known = roles.get(role)
    if (known === undefined) firstStarts.set(role, place.start)
    roles.set(role, (known ?? 0) + 1)
  }
  let isStrict = false
  if (roles.size === 0) return { roles, withoutRole, isStrict }

  const decisions = yield* waitFor(decide([...roles].map(([role, values]) => ({ role, values }))))
  for (const [role, firstStart] of firstStarts) {
    const decision = decisions.get(role)
    if (decision?.decision === "permit") {
      isStrict ||= decision.accessLog === "strict"
      continue
    }
    const { reason = "no-decision", policyIds = [] } = decision ?? {}
    const pointer = yield* pointerAtOffsetInSteps(bytes, firstStart, MAX_JSON_DEPTH)
    throw new DecryptionForbiddenError(pointer, { role, reason, policyIds })
  }
  return { roles, withoutRole, isStrict }
}

function literalOf({ type, value }: OpenedValue): ReturnType<typeof writeJsonString> {
  return type === "string" ? writeJsonString(value) : value.toString()
}
