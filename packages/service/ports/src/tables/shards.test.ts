import { createId } from "@sealway/kernel"
import { expect, test } from "vitest"
import { shardOf } from "./shards.ts"

const SHARDS = 16

test("spreads ids evenly over all shards, and puts the same id into the same one", () => {
  const counts = Array.from({ length: SHARDS }, () => 0)
  const ids = Array.from({ length: 16_000 }, (_, index) =>
    createId("webhook_event", 1_700_000_000_000 + index),
  )
  for (const id of ids) {
    const shard = shardOf(id, SHARDS)
    expect(shardOf(id, SHARDS)).toBe(shard)
    counts[shard] = (counts[shard] ?? 0) + 1
  }
  // 1,000 each, and eight times the deviation of what is random.
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(250)
})
