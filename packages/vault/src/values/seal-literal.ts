import type { Work } from "@sealway/kernel"
import { LARGE_VALUE_BYTES, type Metadata, type ValueSealingKey, type ValueType } from "@sealway/tokens"

/** Returns the token of a value as a JSON string: in pieces and in steps when the value is large. */
export function sealLiteral(
  type: ValueType,
  value: Buffer,
  key: ValueSealingKey,
  metadata: Metadata,
): string | Work<readonly (string | Buffer)[]> {
  return value.length < LARGE_VALUE_BYTES
    ? `"${key.seal(type, value, metadata)}"`
    : sealLarge(type, value, key, metadata)
}

function* sealLarge(
  type: ValueType,
  value: Buffer,
  key: ValueSealingKey,
  metadata: Metadata,
): Work<readonly (string | Buffer)[]> {
  return ['"', yield* key.sealInSteps(type, value, metadata), '"']
}
