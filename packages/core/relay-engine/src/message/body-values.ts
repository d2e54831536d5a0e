import { type Edit, Pace, type Work } from "@sealway/kernel"
import { LARGE_VALUE_BYTES, type ValueType } from "@sealway/tokens"
import type { LocatedBody } from "../body/located-body.ts"
import type { OperationGroup } from "../operations/compile-operations.ts"
import { leaveAloneUnlessEncrypted, operationsOf } from "./selected-text.ts"
import type { ValueChanges, ValueWriter } from "./value-changes.ts"

const VALUES_PER_STEP = 256

/**
 * Adds the selected values of a body to the changes.
 *
 * @param edits receives the edits, in order
 */
export function* addBodyValues(
  body: LocatedBody,
  group: OperationGroup<unknown>,
  changes: ValueChanges,
  edits: Edit[],
): Work<void> {
  const writer = new BodyWriter(body, edits)
  const pace = new Pace(VALUES_PER_STEP)
  let index = -1
  for (const value of body.selected) {
    index++
    if (pace.isDue(value.end - value.start)) yield
    const operations = operationsOf(group, value.selectors)
    let text: Buffer
    try {
      const read = body.text(value)
      text = Buffer.isBuffer(read) ? read : yield* read
    } catch (error) {
      leaveAloneUnlessEncrypted(operations, error)
      continue
    }
    const selected = { type: value.type, text, operations, writer, index }
    if (text.length < LARGE_VALUE_BYTES) changes.add(selected)
    else yield* changes.addInSteps(selected)
  }
}

class BodyWriter implements ValueWriter {
  readonly #body: LocatedBody
  readonly #edits: Edit[]

  constructor(body: LocatedBody, edits: Edit[]) {
    this.#body = body
    this.#edits = edits
  }

  write(index: number, type: ValueType, text: Buffer): Work<void> | null {
    const value = this.#body.selected[index]
    if (value === undefined) throw new TypeError("The body has no such value")
    const literal = this.#body.write(value, type, text)
    if (typeof literal !== "string") return this.#writeInSteps(value, literal)
    this.#edits.push({ start: value.start, end: value.end, text: literal })
    return null
  }

  *#writeInSteps({ start, end }: Omit<Edit, "text">, literal: Work<readonly string[]>): Work<void> {
    this.#edits.push({ start, end, text: yield* literal })
  }
}
