import { type Edit, Pace, type Work } from "@sealway/kernel"
import { LARGE_VALUE_BYTES } from "@sealway/tokens"
import { type LocatedBody, type LocatedValue, UnreadableBodyError } from "../body/located-body.ts"
import type { Operation, OperationGroup } from "../operations/compile-operations.ts"
import type { Place, ValueChanges } from "./value-changes.ts"

const VALUES_PER_STEP = 256

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
export function textUnlessLeftAlone<Text>(operations: readonly Operation[], read: () => Text): Text | null {
  try {
    return read()
  } catch (error) {
    return leaveAlone(operations, error)
  }
}

/** `textUnlessLeftAlone`, in steps. */
function* readUnlessLeftAlone(
  operations: readonly Operation[],
  body: LocatedBody,
  value: LocatedValue,
): Work<Buffer | null> {
  try {
    const text = body.text(value)
    return Buffer.isBuffer(text) ? text : yield* text
  } catch (error) {
    return leaveAlone(operations, error)
  }
}

function leaveAlone(operations: readonly Operation[], error: unknown): null {
  if (!(error instanceof UnreadableBodyError)) throw error
  if (operations.some(({ action }) => action === "encrypt")) throw error
  return null
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
    const operations = operationsOf(group, value.selectors)
    const text = textUnlessLeftAlone(operations, () => body.text(value))
    if (text === null) continue
    if (!Buffer.isBuffer(text)) return addOthers(body, index, group, changes, edits)
    changes.add(placeOf(body, value, operations, text, edits))
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
    const operations = operationsOf(group, value.selectors)
    const text = yield* readUnlessLeftAlone(operations, body, value)
    if (text === null) continue
    const place = placeOf(body, value, operations, text, edits)
    if (text.length < LARGE_VALUE_BYTES) changes.add(place)
    else yield* changes.addInSteps(place)
  }
}

function placeOf(
  body: LocatedBody,
  value: LocatedValue,
  operations: readonly Operation[],
  text: Buffer,
  edits: Edit[],
): Place {
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
