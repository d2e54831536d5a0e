import type { RawHeaders } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import { headerText, locateHeaders, writeHeaderValue } from "../headers/headers.ts"
import type { OperationGroup } from "../operations/compile-operations.ts"
import { operationsOf, textUnlessLeftAlone } from "./selected-text.ts"
import type { ValueChanges, ValueWriter } from "./value-changes.ts"

/**
 * Adds the selected headers to the changes. When they are changed, one that becomes larger than `maxValueBytes` is
 * refused with an `UnreadableBodyError`, `too-large`: no request could send it back to be decrypted.
 *
 * @returns the headers, which change when the values do
 */
export function addHeaders(
  rawHeaders: RawHeaders,
  group: OperationGroup<string>,
  changes: ValueChanges,
  maxValueBytes: number,
): RawHeaders {
  if (group.operations.length === 0) return rawHeaders
  const changed = [...rawHeaders]
  const writer: ValueWriter = {
    write(index, _, written) {
      if (written.length > maxValueBytes) {
        throw new UnreadableBodyError("too-large", "A header's value is too large to encrypt.")
      }
      changed[index] = writeHeaderValue(written)
      return null
    },
  }
  for (const { index, selectors } of locateHeaders(rawHeaders, group.selectors)) {
    const operations = operationsOf(group, selectors)
    const text = textUnlessLeftAlone(operations, () => headerText(rawHeaders[index] ?? ""))
    if (text !== null) changes.add({ type: "string", text, operations, writer, index })
  }
  return changed
}
