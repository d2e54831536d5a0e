import { describe, expect, test } from "vitest"
import { agreedContentKey } from "../crypto/agreed-content-key.ts"
import { parseToken } from "../format/parse-token.ts"
import type { TokenVersionName } from "../format/token-version.ts"
import { refusal } from "../testing/refused.ts"
import { createTestApp, openText } from "../testing/test-app.ts"
import { vectorApp, vectors } from "../testing/vectors.ts"
import { openToken } from "./open-token.ts"

/** One token of each version: of a short string, so that every bit can be flipped. */
const tokens = new Map(
  vectors.tokens
    .filter(({ value }) => value === "4242424242424242")
    .map(({ token, version }) => [version, token] as const),
)

function tokenOf(version: TokenVersionName): string {
  const token = tokens.get(version)
  if (token === undefined) throw new Error("The vectors have no such token")
  return token
}

/** Yields the token once for every bit of a segment, with that bit flipped. Segments count from 0, which is `ev`. */
function* withFlippedBits(token: string, segment: number): Generator<string> {
  const segments = token.split(":")
  const bytes = Buffer.from(segments[segment] ?? "", "base64")
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes)
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    yield segments.with(segment, flipped.toString("base64").replace(/=+$/, "")).join(":")
  }
}

describe.each(["Tk9D", "QkTC", "RFVC", "S0lS"] as const)("a token of %s", (version) => {
  const token = tokenOf(version)

  test("is refused with any bit of the IV flipped", () => {
    for (const changed of withFlippedBits(token, 2))
      expect(() => openText(changed, vectorApp)).toThrow(refusal)
  })

  test("is refused with any bit of the ciphertext or the tag flipped", () => {
    for (const changed of withFlippedBits(token, 4))
      expect(() => openText(changed, vectorApp)).toThrow(refusal)
  })

  test("is refused with any bit of the ephemeral key's coordinate flipped", () => {
    for (const changed of [...withFlippedBits(token, 3)].slice(8)) {
      expect(() => openText(changed, vectorApp)).toThrow(refusal)
    }
  })

  test("is refused with the ephemeral key's form changed", () => {
    for (const changed of [...withFlippedBits(token, 3)].slice(1, 8)) {
      expect(() => openText(changed, vectorApp)).toThrow(refusal)
    }
  })

  test("is refused, or is data, when truncated anywhere", () => {
    for (let length = 0; length < token.length; length++)
      expect(parseToken(token.slice(0, length))).toBeNull()
  })

  test("is refused when its ciphertext is truncated anywhere", () => {
    for (let end = token.lastIndexOf(":", token.length - 3) + 2; end < token.length - 2; end++) {
      expect(() => openText(`${token.slice(0, end)}:$`, vectorApp)).toThrow(refusal)
    }
  })

  test.each(["Tk9D", "QkTC", "RFVC", "S0lS"].filter((other) => other !== version))(
    "is refused when it claims to be of %s",
    (other) => {
      expect(() => openText(token.replace(version, other), vectorApp)).toThrow(refusal)
    },
  )

  test("is refused with another app's keys", () => {
    expect(() => openText(token, createTestApp())).toThrow(refusal)
  })
})

describe("the parity of the ephemeral key", () => {
  const [flipped = ""] = withFlippedBits(tokenOf("RFVC"), 3)

  test("makes no difference to RFVC, whose key is the x coordinate alone", () => {
    expect(openText(flipped, vectorApp)?.value.toString()).toBe("4242424242424242")
  })

  test.each(["Tk9D", "QkTC", "S0lS"] as const)("is authenticated by %s", (version) => {
    const [changed = ""] = withFlippedBits(tokenOf(version), 3)
    expect(() => openText(changed, vectorApp)).toThrow(refusal)
  })
})

describe.each(["QkTC", "S0lS"] as const)("a token of %s, which authenticates its segments,", (version) => {
  test.each(["ev:debug:VERSION:", "ev:VERSION:number:", "ev:VERSION:boolean:", "ev:debug:VERSION:number:"])(
    "is refused when relabelled: %s",
    (start) => {
      const changed = tokenOf(version).replace(`ev:${version}:`, start.replace("VERSION", version))
      expect(changed).not.toBe(tokenOf(version))
      expect(() => openText(changed, vectorApp)).toThrow(refusal)
    },
  )
})

test("throws a TypeError when the app's public key is not 33 bytes", () => {
  const token = parseToken(tokenOf("Tk9D"))
  if (token === null) throw new Error("Not a token")
  const contentKey = agreedContentKey(token, vectorApp.prime256v1)
  expect(() => openToken(token, contentKey, Buffer.alloc(65))).toThrow(TypeError)
})
