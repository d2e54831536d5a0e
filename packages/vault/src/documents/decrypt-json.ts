import {
  type Edit,
  InvalidRequestError,
  MAX_JSON_DEPTH,
  type MaybePromise,
  Pace,
  pointerAtOffsetInSteps,
  processTask,
  spliceBytesInSteps,
  type Task,
  type Work,
  waitFor,
  writeJsonString,
} from "@sealway/kernel"
import { requireValue } from "../values/honey-value.ts"
import type { TokenOpener } from "../values/token-opener.ts"
import type { DecryptedValues } from "./decrypted-values.ts"
import { reserveToOpen } from "./held-bytes.ts"
import { type OpenedPlace, type OpenTokensOptions, openTokens } from "./open-tokens.ts"
import { type DecideRoles, RoleTally } from "./role-tally.ts"

/** A document with its values in the clear, and how many were decrypted. */
export interface DecryptedJson {
  readonly bytes: Buffer
  readonly values: DecryptedValues
  /** The ids of the data subjects whose values were decrypted, each once. */
  readonly subjects: readonly string[]
}

export interface DecryptJsonOptions {
  /**
   * Refuses a document without a token, and a string that starts like a token and is not a complete one. Default:
   * false.
   */
  readonly requiresTokens?: boolean
  /** Refuses values without a data role, which no policies protect. Default: false. */
  readonly requiresRoles?: boolean
  /** Runs the work, and has the memory for it. Default: that of no request. */
  readonly task?: Task
  /** What the caller makes of the result takes that many more bytes. Default: none. */
  readonly moreBytes?: number
  /** What the values count for. Default: nothing. */
  readonly allowance?: OpenTokensOptions["allowance"] | undefined
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
  { task = processTask, ...rules }: DecryptJsonOptions = {},
): MaybePromise<DecryptedJson> {
  return task.run(decryptInSteps(bytes, opener, decide, task, rules))
}

const VALUES_PER_STEP = 512
const ROLES_PER_STEP = 4_096

function* decryptInSteps(
  bytes: Buffer,
  opener: TokenOpener,
  decide: DecideRoles,
  task: Task,
  {
    requiresTokens = false,
    requiresRoles = false,
    moreBytes = 0,
    allowance,
  }: Omit<DecryptJsonOptions, "task">,
): Work<DecryptedJson> {
  yield* reserveToOpen(bytes, task, moreBytes)
  const places = yield* openTokens(bytes, opener, {
    turns: task,
    brokenTokens: requiresTokens ? "refuse" : "pass",
    allowance,
  })
  if (requiresTokens && places.length === 0) {
    throw new InvalidRequestError("The body contains no encrypted value.")
  }
  const values = yield* checkRoles(bytes, places, decide, requiresRoles)
  const edits: Edit[] = []
  const subjects = new Set<string>()
  const pace = new Pace(VALUES_PER_STEP)
  for (const { place, opened, subjectId } of places) {
    if (subjectId !== null) subjects.add(subjectId)
    if (pace.isDue(opened.value?.length)) yield
    const literal = literalOf(opened)
    const text = typeof literal === "string" ? literal : yield* literal
    edits.push({ start: place.start, end: place.end, text })
  }
  return { bytes: yield* spliceBytesInSteps(bytes, edits), values, subjects: [...subjects] }
}

/** Checks the roles of all opened tokens. @throws DecryptionForbiddenError when one of them may not be decrypted */
function* checkRoles(
  bytes: Buffer,
  places: readonly OpenedPlace[],
  decide: DecideRoles,
  requiresRoles: boolean,
): Work<DecryptedValues> {
  const tally = new RoleTally<number>()
  const pace = new Pace(ROLES_PER_STEP)
  for (const { place, opened } of places) {
    if (pace.isDue()) yield
    tally.add(opened, place.start)
  }
  const judged = tally.judge(decide, { requiresRoles })
  const judgement = judged instanceof Promise ? yield* waitFor(judged) : judged
  const { refused } = judgement
  if (refused === null) return judgement.values
  throw refused.error(yield* pointerAtOffsetInSteps(bytes, refused.place ?? 0, MAX_JSON_DEPTH))
}

function literalOf(opened: OpenedPlace["opened"]): ReturnType<typeof writeJsonString> {
  const { type, value } = requireValue(opened)
  return type === "string" ? writeJsonString(value) : value.toString()
}
