import { type Edit, Pace, type Work } from "@sealway/kernel"
import type { Operation, OperationGroup } from "../compile-operations.ts"
import { type LocatedBody, type LocatedValue, UnreadableBodyError } from "../located-body.ts"
import type { Place, ValueChanges } from "./value-changes.ts"

const VALUES_PER_STEP = 256
/** To read such a value takes a step, and to see whether it is a token another one. */
const LARGE_BYTES = 65_536

/** The operations whose selectors select a value. @param selectors indices into the group */
export function operationsOf(
  { operations }: OperationGroup<unknown>,
  selectors: readonly number[],
): readonly Operation[] {
  const found: Operation[] = []
  for (const index of selectors) {
    const operation = operations[index]
    if (operation !== undefined) found.push(operation)
  }
  return found
}

/**
 * What a value says; null where it is no text, and none of the operations encrypts: it is no token, so that it is left
 * alone.
 *
 * @throws UnreadableBodyError when it is no text, and would be encrypted
 */
export function textUnlessLeftAlone(operations: readonly Operation[], read: () => Buffer): Buffer | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnreadableBodyError)) throw error
    if (operations.some(({ action }) => action === "encrypt")) throw error
    return null
  }
}

function* addInSteps(
  edits: Edit[],
  start: number,
  end: number,
  literal: Work<readonly string[]>,
): Work<void> {
  edits.push({ start, end, text: yield* literal })
}

/**
 * Adds the selected values of a body to what is to be changed.
 *
 * @param edits where the edits will be, in order
 * @returns what is left to do where that is much; null when all are added
 */
export function addBody(
  body: LocatedBody,
  group: OperationGroup<unknown>,
  changes: ValueChanges,
  edits: Edit[],
): Work<void> | null {
  const pace = new Pace(VALUES_PER_STEP)
  for (const [index, value] of body.selected.entries()) {
    if (pace.isDue(value.end - value.start)) return addOthers(body, index, group, changes, edits)
    const place = placeOf(body, value, group, edits)
    if (place !== null) changes.add(place)
  }
  return null
}

/** Adds the values from one on. */
function* addOthers(
  body: LocatedBody,
  first: number,
  group: OperationGroup<unknown>,
  changes: ValueChanges,
  edits: Edit[],
): Work<void> {
  const pace = new Pace(VALUES_PER_STEP)
  yield
  for (const value of body.selected.slice(first)) {
    if (pace.isDue(value.end - value.start)) yield
    const place = placeOf(body, value, group, edits)
    if (place === null) continue
    if (place.text.length > LARGE_BYTES) yield
    changes.add(place)
  }
}

/** Null where the value is left alone. */
function placeOf(
  body: LocatedBody,
  value: LocatedValue,
  group: OperationGroup<unknown>,
  edits: Edit[],
): Place | null {
  const operations = operationsOf(group, value.selectors)
  const text = textUnlessLeftAlone(operations, () => body.text(value))
  if (text === null) return null
  const { start, end, type } = value
  return {
    type,
    text,
    operations,
    write(written, bytes) {
      const literal = body.write(value, written, bytes)
      if (typeof literal !== "string") return addInSteps(edits, start, end, literal)
      edits.push({ start, end, text: literal })
      return null
    },
  }
}
