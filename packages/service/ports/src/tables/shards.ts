import { crc32 } from "node:zlib"

/**
 * Returns the shard of a key, from 0: the same for the same key, and about as many keys in each. The last character of an id
 * would not do, because its alphabet does not divide evenly.
 */
export function shardOf(key: string, shards: number): number {
  return crc32(key) % shards
}
