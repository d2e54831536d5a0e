import type { AttributeValue, Item } from "../values/attribute-value.ts"
import { invalid } from "../values/invalid-record.ts"
import type { StoredKey, TableRecord } from "./item-store.ts"

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys */
const MAX_PARTITION_KEY_BYTES = 2048
const MAX_SORT_KEY_BYTES = 1024

type KeyNames = Pick<TableRecord, "partitionKey" | "sortKey">

/**
 * Returns an item's key.
 *
 * @throws InvalidRecordError when a part of it is missing, empty, too long or not a string
 */
export function keyOfItem({ partitionKey, sortKey }: KeyNames, item: Item): StoredKey {
  return {
    partition: keyPart(item.get(partitionKey), MAX_PARTITION_KEY_BYTES),
    sort: keyPart(item.get(sortKey), MAX_SORT_KEY_BYTES),
  }
}

/** @throws InvalidRecordError */
function keyPart(value: AttributeValue | undefined, maxBytes: number): Uint8Array {
  if (value === undefined) throw invalid("One of the required keys was not given a value.")
  if (!("S" in value)) throw invalid("One or more parameter values were invalid: Type mismatch for key.")
  if (value.S === "")
    throw invalid("The AttributeValue for a key attribute cannot contain an empty string value.")
  const bytes = Buffer.from(value.S)
  if (bytes.length > maxBytes)
    throw invalid("One or more parameter values were invalid: a key has exceeded its size limit.")
  return bytes
}
