import { CHUNK_BYTES } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { MAX_FILE_BYTES, sealedFileBytes, sealedPartBytes, uploadPartsOf } from "./part-sizes.ts"

const MIB = 1024 ** 2

describe("the parts of a file", () => {
  test.each([0, 1, 8 * MIB - 1, 8 * MIB, 8 * MIB + 1, 100 * MIB + 7])(
    "of %d bytes are together as long as the sealed file",
    (size) => {
      for (const role of [null, "pci"]) {
        const numbers = Array.from({ length: uploadPartsOf({ size }).parts }, (_, index) => index + 1)
        const sum = numbers.reduce((total, number) => total + sealedPartBytes({ size, role }, number), 0)
        expect(sum).toBe(sealedFileBytes({ size, role }))
      }
    },
  )

  test.each([
    [0, 1, 8],
    [8 * MIB, 1, 8],
    [8 * MIB + 1, 2, 8],
    [80_000 * MIB, 10_000, 8],
    [80_000 * MIB + 1, 2501, 32],
    [MAX_FILE_BYTES, 8192, 32],
  ])("of %d bytes are %d, of %d MiB", (size, parts, mib) => {
    expect(uploadPartsOf({ size })).toEqual({ chunkBytes: CHUNK_BYTES, partBytes: mib * MIB, parts })
  })
})
