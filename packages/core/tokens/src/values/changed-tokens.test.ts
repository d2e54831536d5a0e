import fc from "fast-check"
import { describe, expect, test } from "vitest"
import otherDerivation from "../../vectors/other-derivation.json" with { type: "json" }
import { isOfSubject, isSymmetric } from "../crypto/content-key.ts"
import { parseToken } from "../format/parse-token.ts"
import { TOKEN_VERSIONS } from "../format/token-version.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { openOfSubject, subjectVectors, vectorSubjects } from "../testing/subject-app.ts"
import { openSymmetricText, symmetricVectorApp, symmetricVectors } from "../testing/symmetric-app.ts"
import { openText } from "../testing/test-app.ts"
import { vectorApp, vectors } from "../testing/vectors.ts"

const MAX_CHARACTERS = 400
const BASE64 = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"]

/** Tokens of every version, by whatever client has sealed them. */
const tokens = [
  vectors.tokens,
  otherDerivation.tokens,
  symmetricVectors.vectors,
  subjectVectors.vectors,
  subjectVectors.agreed.vectors,
]
  .flat()
  .map(({ token }) => token)
  .filter(({ length }) => length <= MAX_CHARACTERS)

const tokensOf = (version: string) => tokens.filter((token) => parseToken(token)?.version === version)

/** Returns the value that a text opens to; null when it is data, or refused as a token. */
function openOrNull(text: string): string | null {
  try {
    const token = parseToken(text)
    if (token === null) return null
    const opened = isSymmetric(token)
      ? openSymmetricText(text, symmetricVectorApp, [...Array(128).keys()])
      : isOfSubject(token)
        ? openOfSubject(text, vectorSubjects)
        : openText(text, vectorApp)
    return opened?.value.toString() ?? null
  } catch (error) {
    if (error instanceof InvalidTokenError) return null
    throw error
  }
}

const character = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...BASE64) },
  { weight: 1, arbitrary: fc.constantFrom(..."-_=:$ \n\0") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
)

/**
 * Changes the sign of an ephemeral key, which is one bit of its second character. `RFVC` alone opens with either: the sign
 * is not in the ECDH secret, which is the key, and such a token authenticates nothing beside its value. Clients write it.
 */
function withOtherSign(token: string): string {
  const at = token.split(":").slice(0, -3).join(":").length + 2
  const flipped = BASE64[BASE64.indexOf(token[at] ?? "") ^ 0b010000]
  return token.slice(0, at) + flipped + token.slice(at + 1)
}

describe.each([...TOKEN_VERSIONS.keys()])("a token of %s", (version) => {
  const samples = tokensOf(version)

  test("does not open with one character changed, added or removed", () => {
    expect(samples.length).toBeGreaterThan(1)
    const edit = fc.record({
      token: fc.constantFrom(...samples),
      at: fc.nat(MAX_CHARACTERS),
      removed: fc.nat(1),
      added: fc.oneof(fc.constant(""), character),
    })
    fc.assert(
      fc.property(edit, ({ token, at: anywhere, removed, added }) => {
        const at = anywhere % token.length
        const changed = token.slice(0, at) + added + token.slice(at + removed)
        fc.pre(changed !== token && !(version === "RFVC" && changed === withOtherSign(token)))
        expect(openOrNull(changed)).toBeNull()
      }),
      { numRuns: 500 },
    )
  })

  test("does not open with any other character at the end of a segment, where base64 has unused bits", () => {
    for (const token of samples.slice(0, 4)) {
      for (const { index } of token.matchAll(/:/g)) {
        for (const other of BASE64.filter((each) => each !== token[index - 1])) {
          expect(openOrNull(token.slice(0, index - 1) + other + token.slice(index))).toBeNull()
        }
      }
    }
  })
})

test("a token of RFVC, sealed with the secret itself, opens with the other sign of its ephemeral key too", () => {
  const sealed = vectors.tokens.filter(({ version }) => version === "RFVC")
  expect(sealed.length).toBeGreaterThan(1)
  for (const { token, value } of sealed) expect(openOrNull(withOtherSign(token))).toBe(String(value))
})

test.each([...TOKEN_VERSIONS.keys()].filter((version) => version !== "RFVC"))(
  "a token of %s does not open with that bit of its key segment changed",
  (version) => {
    for (const token of tokensOf(version)) expect(openOrNull(withOtherSign(token))).toBeNull()
  },
)
