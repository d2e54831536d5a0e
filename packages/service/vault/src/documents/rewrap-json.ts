import {
  MAX_JSON_DEPTH,
  type MaybePromise,
  Pace,
  pointerAtOffsetInSteps,
  processTask,
  SpliceWriter,
  type Task,
  type Work,
  waitFor,
} from "@sealway/kernel"
import { InvalidTokenError, type OpenedValue, type ValueSealingKey } from "@sealway/tokens"
import { type HoneyValue, requireValue } from "../values/honey-value.ts"
import type { TokenOpener } from "../values/token-opener.ts"
import { writeSealed } from "../values/write-sealed.ts"
import { DecryptionForbiddenError, honeyRefusal } from "./decryption-forbidden-error.ts"
import { reserveToRewrap } from "./held-bytes.ts"
import type { Scalar } from "./json-tokens.ts"
import { type OpenTokensOptions, openTokens } from "./open-tokens.ts"
import { unopenedValue } from "./unopened-value.ts"

const VALUES_PER_STEP = 32

export interface RewrapJsonOptions extends Pick<OpenTokensOptions, "allowance"> {
  /** Runs the work, and has the memory for it. Default: that of no request. */
  readonly task?: Task
}

/** An opened token of a document, and its place. */
interface OpenedPlace {
  readonly place: Scalar
  readonly opened: OpenedValue | HoneyValue
  /** The id of the data subject that the token names; null for a token of none. */
  readonly subjectId: string | null
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
  const places: OpenedPlace[] = []
  yield* openTokens(bytes, opener, { turns: task, allowance }, (place, opened, subjectId) => {
    places.push({ place, opened, subjectId })
    return null
  })
  yield* refuseHoney(bytes, places)
  const keys = new Map<string | null, ValueSealingKey>()
  const writer = new SpliceWriter(bytes, bytes.length)
  const pace = new Pace(VALUES_PER_STEP)
  for (const { place, opened, subjectId } of places) {
    const key =
      keys.get(subjectId) ?? (yield* keyAt(bytes, place, () => sealingKeyFor(places.length, subjectId)))
    keys.set(subjectId, key)
    const { type, value, role, encryptedAt } = requireValue(opened)
    if (pace.isDue(value.length)) yield
    const kept = writer.replace(place.start, place.end)
    if (kept !== null) yield* kept
    const large = writeSealed(writer, type, value, key, { role, encryptedAt: encryptedAt ?? nowSeconds })
    if (large !== null) yield* large
  }
  return yield* writer.end()
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
