import {
  InvalidRequestError,
  MAX_JSON_DEPTH,
  type MaybePromise,
  pointerAtOffsetInSteps,
  processTask,
  SpliceWriter,
  type Task,
  type Work,
  waitFor,
} from "@sealway/kernel"
import type { Mask } from "@sealway/kernel/masks"
import type { RevealMode } from "@sealway/policies"
import type { OpenedValue } from "@sealway/tokens"
import { maskedValue } from "../values/masked-value.ts"
import type { TokenOpener } from "../values/token-opener.ts"
import type { DecryptedValues } from "./decrypted-values.ts"
import { reserveToOpen } from "./held-bytes.ts"
import type { Scalar } from "./json-tokens.ts"
import { type OpenTokensOptions, openTokens } from "./open-tokens.ts"
import { type DecideRoles, RoleTally } from "./role-tally.ts"

/** A document with its values in the clear, and how many were decrypted. */
export interface DecryptedJson {
  readonly bytes: Buffer
  readonly values: DecryptedValues
  /** The ids of the data subjects whose values were decrypted, each once. */
  readonly subjects: readonly string[]
  /** The masks of the values that are masked, by their role; null for those without one. */
  readonly masks: ReadonlyMap<string | null, Mask>
}

export interface DecryptJsonOptions {
  /**
   * Refuses a document without a token, and a string that starts like a token and is not a complete one. Default:
   * false.
   */
  readonly requiresTokens?: boolean
  /** Refuses values without a data role, which no policies protect. Default: false. */
  readonly requiresRoles?: boolean
  /**
   * What the caller takes. With `any` or `masked`, the document may have masks in the place of values, as strings. Default:
   * full values; see `JudgeOptions`.
   */
  readonly reveal?: RevealMode | undefined
  /** Default: false; see `JudgeOptions`. */
  readonly takesReason?: boolean
  /** Runs the work, and has the memory for it. Default: that of no request. */
  readonly task?: Task
  /** What the caller makes of the result takes that many more bytes. Default: none. */
  readonly moreBytes?: number
  /** What the values count for. Default: nothing. */
  readonly allowance?: OpenTokensOptions["allowance"] | undefined
}

/**
 * Replaces every token of a JSON document by its value, or by a mask of it. Everything else stays byte for byte.
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

function* decryptInSteps(
  bytes: Buffer,
  opener: TokenOpener,
  decide: DecideRoles,
  task: Task,
  {
    requiresTokens = false,
    requiresRoles = false,
    reveal,
    takesReason = false,
    moreBytes = 0,
    allowance,
  }: Omit<DecryptJsonOptions, "task">,
): Work<DecryptedJson> {
  yield* reserveToOpen(bytes, task, moreBytes)
  const tally = new RoleTally<number>()
  const subjects = new Set<string>()
  // Written before anything is permitted, and returned only then.
  let writer = new SpliceWriter(bytes, bytes.length)
  const options = { turns: task, brokenTokens: requiresTokens ? "refuse" : "pass", allowance } as const
  const count = yield* openTokens(bytes, opener, options, (place, opened, subjectId) => {
    tally.add(opened, place.start)
    if (subjectId !== null) subjects.add(subjectId)
    return opened.value === null ? null : writeOpened(writer, place, opened)
  })
  if (requiresTokens && count === 0) {
    throw new InvalidRequestError("The body contains no encrypted value.")
  }
  const judged = tally.judge(decide, { requiresRoles, reveal, takesReason })
  const judgement = judged instanceof Promise ? yield* waitFor(judged) : judged
  const { refused } = judgement
  if (refused !== null) {
    throw refused.error(yield* pointerAtOffsetInSteps(bytes, refused.place ?? 0, MAX_JSON_DEPTH))
  }
  const { values, masks } = judgement
  if (masks.size > 0) {
    // Opens the tokens again: only now is it known which values are masked, and most documents have none.
    writer = new SpliceWriter(bytes, bytes.length)
    yield* openTokens(bytes, opener, { turns: task }, (place, opened) => {
      const { role } = opened
      const isJudged = role === null ? values.withoutRole > 0 : values.roles.has(role)
      if (opened.value === null || !isJudged) throw new Error("A token did not open as it was judged")
      const mask = masks.get(role)
      return writeOpened(writer, place, mask === undefined ? opened : maskedValue(opened, mask))
    })
  }
  return { bytes: yield* writer.end(), values, subjects: [...subjects], masks }
}

/** Writes a value in the place of its token. Returns the work if it is much. */
function writeOpened(writer: SpliceWriter, { start, end }: Scalar, opened: OpenedValue): Work<void> | null {
  const kept = writer.replace(start, end)
  return kept === null ? writeValue(writer, opened) : writeBehind(kept, writer, opened)
}

function* writeBehind(kept: Work<void>, writer: SpliceWriter, opened: OpenedValue): Work<void> {
  yield* kept
  const work = writeValue(writer, opened)
  if (work !== null) yield* work
}

function writeValue(writer: SpliceWriter, { type, value }: OpenedValue): Work<void> | null {
  if (type === "string") return writer.writeJsonString(value)
  writer.write(value)
  return null
}
