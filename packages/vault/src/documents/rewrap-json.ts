import {
  type Edit,
  MAX_JSON_DEPTH,
  type MaybePromise,
  Pace,
  pointerAtOffsetInSteps,
  processTask,
  spliceBytesInSteps,
  type Task,
  type Work,
  waitFor,
} from "@sealway/kernel"
import { InvalidTokenError, type ValueSealingKey } from "@sealway/tokens"
import { requireValue } from "../values/honey-value.ts"
import { sealLiteral } from "../values/seal-literal.ts"
import type { TokenOpener } from "../values/token-opener.ts"
import { DecryptionForbiddenError, honeyRefusal } from "./decryption-forbidden-error.ts"
import { reserveToRewrap } from "./held-bytes.ts"
import { type OpenedPlace, type OpenTokensOptions, openTokens } from "./open-tokens.ts"
import { unopenedValue } from "./unopened-value.ts"

const VALUES_PER_STEP = 32

export interface RewrapJsonOptions extends Pick<OpenTokensOptions, "allowance"> {
  /** Runs the work, and has the memory for it. Default: that of no request. */
  readonly task?: Task
}

type SealingKeyFor = (values: number, subjectId: string | null) => MaybePromise<ValueSealingKey>

/**
 * Reseals every token of a JSON document with the newest keys, keeping its type, its role and the time it was encrypted,
 * if that is known. Everything else stays byte for byte. No plaintext is returned, so no policy decides: only honey
 * tokens are refused.
 *
 * @param sealingKeyFor returns the key to seal a number of values with: those of the data subject with this id, or of none
 * @throws InvalidRequestError when the document is not JSON, is nested too deep, or holds a token that does not open
 * @throws DecryptionForbiddenError when it holds a honey token
 */
export function rewrapJson(
  bytes: Buffer,
  opener: TokenOpener,
  sealingKeyFor: SealingKeyFor,
  nowSeconds: number,
  { task = processTask, allowance }: RewrapJsonOptions = {},
): MaybePromise<Buffer> {
  return task.run(rewrapInSteps(bytes, opener, sealingKeyFor, nowSeconds, task, allowance))
}

function* rewrapInSteps(
  bytes: Buffer,
  opener: TokenOpener,
  sealingKeyFor: SealingKeyFor,
  nowSeconds: number,
  task: Task,
  allowance: RewrapJsonOptions["allowance"],
): Work<Buffer> {
  yield* reserveToRewrap(bytes, task)
  const places = yield* openTokens(bytes, opener, { turns: task, allowance })
  yield* refuseHoney(bytes, places)
  const keys = new Map<string | null, ValueSealingKey>()
  const edits: Edit[] = []
  const pace = new Pace(VALUES_PER_STEP)
  for (const { place, opened, subjectId } of places) {
    const key =
      keys.get(subjectId) ?? (yield* keyAt(bytes, place, () => sealingKeyFor(places.length, subjectId)))
    keys.set(subjectId, key)
    const { type, value, role, encryptedAt } = requireValue(opened)
    if (pace.isDue(value.length)) yield
    const sealed = sealLiteral(type, value, key, { role, encryptedAt: encryptedAt ?? nowSeconds })
    const text = typeof sealed === "string" ? sealed : yield* sealed
    edits.push({ start: place.start, end: place.end, text })
  }
  return yield* spliceBytesInSteps(bytes, edits)
}

/** Returns the key for a value. Its data subject may have been erased since the value was opened. */
function* keyAt(
  bytes: Buffer,
  { start }: OpenedPlace["place"],
  find: () => MaybePromise<ValueSealingKey>,
): Work<ValueSealingKey> {
  try {
    return yield* waitFor(find())
  } catch (error) {
    if (!(error instanceof InvalidTokenError)) throw error
    throw unopenedValue(yield* pointerAtOffsetInSteps(bytes, start, MAX_JSON_DEPTH), error)
  }
}

/** Refuses a document with honey tokens, at the first value of the first one's role. */
function* refuseHoney(bytes: Buffer, places: readonly OpenedPlace[]): Work<void> {
  const honey = places.flatMap(({ opened }) => (opened.value === null ? [opened] : []))
  const [first] = honey
  if (first === undefined) return
  const found = places.find(({ opened }) => opened.role === first.role)
  const pointer = yield* pointerAtOffsetInSteps(bytes, found?.place.start ?? 0, MAX_JSON_DEPTH)
  throw new DecryptionForbiddenError(pointer, honeyRefusal(first.role), [
    ...new Set(honey.map(({ mark }) => mark)),
  ])
}
