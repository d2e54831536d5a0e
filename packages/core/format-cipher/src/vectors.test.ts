import { execFile, execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import vectors from "../vectors/tokens.json" with { type: "json" }
import type { Format } from "./format.ts"
import { createFormatCipher, deriveFormatKey } from "./format-cipher.ts"

const CHECK = fileURLToPath(new URL("../vectors/check_vectors.py", import.meta.url))

describe("vectors of format tokens", () => {
  test.each(vectors.vectors)("open to their value, and are made of it: $token", (vector) => {
    const key = deriveFormatKey(Buffer.from(vectors.valueKey, "hex"), vector.formatId, vector.version)
    const cipher = createFormatCipher(vector.format as Format, key)
    const tweak = Buffer.from(vector.tweak, "hex")
    expect(cipher.encrypt([vector.value], tweak)).toEqual([vector.token])
    expect(cipher.decrypt([vector.token], tweak)).toEqual([vector.value])
  })

  const isSkipped = !hasPython()
  const title = "are made and opened alike by an independent implementation in Python"
  test.skipIf(isSkipped)(
    isSkipped ? `${title} (skipped: needs python3 with the package cryptography)` : title,
    async () => {
      const { stdout } = await promisify(execFile)("python3", [CHECK])
      expect(stdout.trim()).toBe(`${vectors.vectors.length} agreed`)
    },
  )
})

function hasPython(): boolean {
  try {
    execFileSync("python3", ["-c", "import cryptography"], { stdio: "pipe" })
    return true
  } catch {
    return false
  }
}
