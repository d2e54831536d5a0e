import { finish } from "@sealway/kernel"
import { expect, test } from "vitest"
import { includesInSteps } from "./includes-in-steps.ts"

const PIECE = 131_072

test.each([0, PIECE - 3, PIECE - 2, PIECE - 1, PIECE, 2 * PIECE - 1, 3 * PIECE - 3])(
  "finds a text at byte %d, wherever the pieces end",
  (at) => {
    const bytes = Buffer.alloc(3 * PIECE, "-")
    expect(finish(includesInSteps(bytes, ["abc", "xyz"]))).toBe(false)
    bytes.write("xyz", at)
    expect(finish(includesInSteps(bytes, ["abc", "xyz"]))).toBe(true)
    expect(finish(includesInSteps(bytes, ["abc"]))).toBe(false)
  },
)
