import { MB } from "@sealway/kernel"
import { expect, test } from "vitest"
import { DEFAULT_MEMORY_BYTES, defaultMemoryBytes, MIN_MEMORY_BYTES } from "./memory-size.ts"

const MACHINE = 16_384 * MB
/** What Node.js reads where a cgroup has no limit: version 2, version 1, and none. */
const UNLIMITED = [2 ** 64, 2 ** 63 - 4_096, 0]

test("memory for requests is the default where the container has no limit", () => {
  for (const limit of UNLIMITED) expect(defaultMemoryBytes(3, limit, MACHINE)).toBe(DEFAULT_MEMORY_BYTES)
  expect(defaultMemoryBytes(1, 8_192 * MB, MACHINE)).toBe(DEFAULT_MEMORY_BYTES)
})

test("memory for requests is a third of the container's limit, shared by its processes, and never too little to work", () => {
  expect(defaultMemoryBytes(1, 600 * MB, MACHINE)).toBe(200 * MB)
  expect(defaultMemoryBytes(3, 900 * MB, MACHINE)).toBe(100 * MB)
  expect(defaultMemoryBytes(3, 300 * MB, MACHINE)).toBe(MIN_MEMORY_BYTES)
})
