import type { SpliceWriter, Work } from "@sealway/kernel"
import { LARGE_VALUE_BYTES, type Metadata, type ValueSealingKey, type ValueType } from "@sealway/tokens"

const QUOTE = 0x22

/** Writes the token of a value as a JSON string. Returns the work if the value is large. */
export function writeSealed(
  writer: SpliceWriter,
  type: ValueType,
  value: Buffer,
  key: ValueSealingKey,
  metadata: Metadata,
): Work<void> | null {
  if (value.length >= LARGE_VALUE_BYTES) return writeLarge(writer, type, value, key, metadata)
  writer.makeRoom(key.tokenLength(type, value.length, metadata) + '""'.length)
  const { target, at } = writer
  target[at] = QUOTE
  const end = key.sealInto(target, at + 1, type, value, metadata)
  target[end] = QUOTE
  writer.at = end + 1
  return null
}

function* writeLarge(
  writer: SpliceWriter,
  type: ValueType,
  value: Buffer,
  key: ValueSealingKey,
  metadata: Metadata,
): Work<void> {
  yield* writer.writePieces(['"', yield* key.sealInSteps(type, value, metadata), '"'])
}
