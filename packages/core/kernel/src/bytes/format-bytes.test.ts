import { expect, test } from "vitest"
import { formatBytes } from "./format-bytes.ts"

test("bytes are written in the largest unit of which there is one", () => {
  expect(
    [0, 1023, 1024, 1024 ** 2 * 1.5, 1024 ** 3 - 1, 256 * 1024 ** 3, 1024 ** 4].map(formatBytes),
  ).toEqual([...["0 bytes", "1023 bytes", "1.0 KiB", "1.5 MiB", "1024.0 MiB", "256.0 GiB", "1024.0 GiB"]])
})
