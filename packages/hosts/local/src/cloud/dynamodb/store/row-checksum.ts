import { crc32 } from "node:zlib"

/** Everything in a row of the store except its checksum. */
export interface Row {
  readonly tableId: number
  readonly partition: Uint8Array
  readonly sort: Uint8Array
  /** The size as AWS counts it. */
  readonly size: number
  /** JSON. */
  readonly item: Uint8Array
}

/** SQLite does not notice when a disk returns different bytes than were written. */
export function rowChecksum({ tableId, partition, sort, size, item }: Row): number {
  const head = `${tableId} ${size} ${partition.length} ${sort.length} `
  return [partition, sort, item].reduce((sum, bytes) => crc32(bytes, sum), crc32(head))
}
