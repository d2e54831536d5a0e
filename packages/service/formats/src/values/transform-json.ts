import type { Allowance } from "@sealway/accounts"
import { UnfitTextError } from "@sealway/format-cipher"
import {
  countJsonItems,
  decodeJsonStringInSteps,
  InvalidRequestError,
  invalidField,
  jsonProblem,
  MAX_JSON_DEPTH,
  type MaybePromise,
  pointerAtOffsetInSteps,
  SpliceWriter,
  scanJsonInSteps,
  type Task,
  UNWEIGHED_BYTES,
  type Work,
  waitFor,
} from "@sealway/kernel"

/** The most values of one request. */
export const MAX_FORMAT_VALUES = 10_000

/** Values are encrypted together, which is faster, but not so many that others wait: some 10 ms for the longest. */
const VALUES_AT_ONCE = 200

/** What a value takes while it is worked on: its place, its text, its token and the edit. */
const BYTES_A_VALUE = 1_000

/** A string of a document. */
interface Place {
  readonly start: number
  readonly end: number
  readonly isEscaped: boolean
}

export interface TransformRequest {
  readonly task: Task
  readonly allowance: Pick<Allowance, "takeValues">
  /** @throws UnfitTextError */
  readonly transform: (texts: readonly string[]) => readonly string[]
}

/** The strings of a document, and what they were transformed to. */
export interface TransformedTexts {
  readonly places: readonly Place[]
  readonly texts: readonly string[]
}

export interface TransformedJson {
  readonly bytes: Buffer
  readonly values: number
}

/**
 * Replaces every string of a JSON document by another one. `null`, keys and everything else stay byte for byte.
 *
 * @throws InvalidRequestError when the document is not JSON or nested too deep, when it has too many values, a number or
 * a boolean, and when a string is not one of the format: at its place
 */
export function transformJson(bytes: Buffer, request: TransformRequest): MaybePromise<TransformedJson> {
  return request.task.run(transformInSteps(bytes, request))
}

function* transformInSteps(bytes: Buffer, request: TransformRequest): Work<TransformedJson> {
  const transformed = yield* transformTexts(bytes, request)
  return { bytes: yield* writeTexts(bytes, transformed), values: transformed.texts.length }
}

/** The first half of `transformJson`: nothing is written yet. */
export function* transformTexts(
  bytes: Buffer,
  { task, allowance, transform }: TransformRequest,
): Work<TransformedTexts> {
  if (bytes.length > UNWEIGHED_BYTES) {
    const values = Math.min((yield* countJsonItems(bytes)) + 1, MAX_FORMAT_VALUES)
    yield* waitFor(task.reserve(BYTES_A_VALUE * values + 3 * bytes.length))
  }
  const places = yield* findStrings(bytes)
  allowance.takeValues(places.length)
  const transformed: string[] = []
  for (const some of inParts(places)) {
    yield
    const texts: string[] = []
    for (const place of some) texts.push(yield* textAt(bytes, place))
    transformed.push(...(yield* fitting(bytes, some, () => transform(texts))))
  }
  return { places, texts: transformed }
}

/** The second half. @param show what is written of a text. Default: all of it */
export function* writeTexts(
  bytes: Buffer,
  { places, texts }: TransformedTexts,
  show: (text: string) => string = (text) => text,
): Work<Buffer> {
  const writer = new SpliceWriter(bytes, bytes.length)
  let index = 0
  for (const some of inParts(places)) {
    yield
    for (const { start, end } of some) {
      const kept = writer.replace(start, end)
      if (kept !== null) yield* kept
      const large = writer.writeJsonString(Buffer.from(show(texts[index++] ?? "")))
      if (large !== null) yield* large
    }
  }
  return yield* writer.end()
}

function* inParts(places: readonly Place[]): Generator<readonly Place[]> {
  for (let first = 0; first < places.length; first += VALUES_AT_ONCE) {
    yield places.slice(first, first + VALUES_AT_ONCE)
  }
}

function* findStrings(bytes: Buffer): Work<readonly Place[]> {
  const places: Place[] = []
  let count = 0
  let other: number | null = null
  const ignore = () => undefined
  const sink = {
    open: ignore,
    close: ignore,
    key: ignore,
    scalar(kind: string, start: number, end: number) {
      if (kind === "string" || kind === "escaped-string") {
        count++
        if (count <= MAX_FORMAT_VALUES) places.push({ start, end, isEscaped: kind === "escaped-string" })
      } else if (kind !== "null") other ??= start
    },
  }
  try {
    yield* scanJsonInSteps(bytes, sink, MAX_JSON_DEPTH)
  } catch (error) {
    throw jsonProblem(error)
  }
  if (other !== null)
    throw yield* problemAt(bytes, other, "Values of a format are strings: put it in quotes.")
  if (count > MAX_FORMAT_VALUES) {
    throw new InvalidRequestError(
      `The body has ${count} values, and may have ${MAX_FORMAT_VALUES}. Send it in parts.`,
    )
  }
  return places
}

function* textAt(bytes: Buffer, { start, end, isEscaped }: Place): Work<string> {
  if (!isEscaped) return bytes.toString("utf8", start + 1, end - 1)
  const text = yield* decodeJsonStringInSteps(bytes, true, start, end)
  if (text === null)
    throw yield* problemAt(bytes, start, "It is not a text: it has half of a surrogate pair.")
  return text.toString()
}

/** Runs the transformation of some values; what does not fit is refused at its place. */
function* fitting(
  bytes: Buffer,
  places: readonly Place[],
  transform: () => readonly string[],
): Work<readonly string[]> {
  try {
    return transform()
  } catch (error) {
    if (!(error instanceof UnfitTextError)) throw error
    throw yield* problemAt(bytes, places[error.index]?.start ?? 0, error.message)
  }
}

function* problemAt(bytes: Buffer, offset: number, reason: string): Work<InvalidRequestError> {
  return invalidField(yield* pointerAtOffsetInSteps(bytes, offset, MAX_JSON_DEPTH), reason)
}
