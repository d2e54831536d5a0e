import { applyMask, HIDDEN, type Mask, TOO_LONG_BYTES } from "@sealway/kernel/masks"
import type { OpenedValue } from "@sealway/tokens"

/**
 * Masks an opened value. The mask of a number or boolean is a string too. Of a boolean nothing is shown: one letter, or its
 * length, would be all of it.
 */
export function maskedValue(opened: OpenedValue, mask: Mask): OpenedValue {
  const isAllOrNothing = opened.type === "boolean" && mask.type !== "fixed"
  const text = opened.value.toString("utf8", 0, TOO_LONG_BYTES)
  return { ...opened, type: "string", value: Buffer.from(isAllOrNothing ? HIDDEN : applyMask(mask, text)) }
}
