import type { AttributeValue, Item } from "./attribute-value.ts"
import { parseDecimal, significantDigits } from "./decimal.ts"

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items */
export const MAX_ITEM_BYTES = 400 * 1024

/**
 * Returns an item's size as AWS counts it: names and values in UTF-8 bytes. A number takes one byte per two digits, and
 * one more; AWS calls that approximate.
 *
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemSize(item: Item): number {
  let size = 0
  for (const [name, value] of item) size += Buffer.byteLength(name) + valueSize(value)
  return size
}

const CONTAINER_BYTES = 3
const MEMBER_BYTES = 1

function valueSize(value: AttributeValue): number {
  if ("S" in value) return Buffer.byteLength(value.S)
  if ("N" in value) return numberSize(value.N)
  if ("B" in value) return Buffer.byteLength(value.B, "base64")
  if ("L" in value)
    return value.L.reduce((sum, each) => sum + MEMBER_BYTES + valueSize(each), CONTAINER_BYTES)
  if ("M" in value) {
    const members = Object.entries(value.M)
    return members.reduce(
      (sum, [name, each]) => sum + MEMBER_BYTES + Buffer.byteLength(name) + valueSize(each),
      CONTAINER_BYTES,
    )
  }
  return 1
}

function numberSize(text: string): number {
  const { digits } = parseDecimal(text)
  return 1 + Math.ceil(significantDigits(digits).length / 2) + (digits < 0n ? 1 : 0)
}
