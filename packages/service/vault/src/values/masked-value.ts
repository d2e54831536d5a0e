import { applyMask, type Mask, TOO_LONG_BYTES } from "@sealway/kernel/masks"
import type { OpenedValue } from "@sealway/tokens"

/** Masks an opened value. The mask of a number or boolean is a string too. */
export function maskedValue(opened: OpenedValue, mask: Mask): OpenedValue {
  const text = opened.value.toString("utf8", 0, TOO_LONG_BYTES)
  return { ...opened, type: "string", value: Buffer.from(applyMask(mask, text)) }
}
