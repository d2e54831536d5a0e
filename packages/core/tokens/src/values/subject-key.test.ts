import { randomBytes } from "node:crypto"
import { finish } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { importAppPublicKey } from "../crypto/app-public-key.ts"
import { isOfSubject } from "../crypto/content-key.ts"
import { subjectIdIn } from "../crypto/key-segment.ts"
import { type ParsedToken, parseToken } from "../format/parse-token.ts"
import { TOKEN_VERSIONS } from "../format/token-version.ts"
import { refusal } from "../testing/refused.ts"
import { createTestSubject, openOfSubject } from "../testing/subject-app.ts"
import { createTestApp } from "../testing/test-app.ts"
import { openToken } from "./open-token.ts"
import { sealBeside } from "./seal-beside.ts"
import { createSubjectSealingKey } from "./sealing-key.ts"
import type { SubjectKey } from "./subject-key.ts"

const SUBJECT_ID = randomBytes(16)
const subject = createTestSubject({ subjectId: SUBJECT_ID })
const METADATA = { role: "email", encryptedAt: 1_795_000_000 }

/** How values are sealed for a data subject: by Sealway, and to its public key. */
const VERSIONS: readonly (readonly [version: string, seal: (key: SubjectKey) => string])[] = [
  ["c3cy", (key) => key.createSealingKey().seal("string", "ada@example.com", METADATA)],
  ["c3cz", (key) => sealTo(key).seal("string", "ada@example.com", METADATA)],
]

/** Seals as clients do. */
function sealTo(key: SubjectKey) {
  const token = parsed(key.createSealingKey().seal("string", ""))
  if (!isOfSubject(token)) throw new Error("Of no data subject")
  return createSubjectSealingKey(importAppPublicKey(key.publicKey), subjectIdIn(token.keySegment), false)
}

const openWith = (text: string, key: SubjectKey) =>
  openOfSubject(text, new Map([[SUBJECT_ID.toString("hex"), key]]))

function parsed(text: string): ParsedToken {
  const token = parseToken(text)
  if (token === null) throw new Error("It is no token")
  return token
}

describe("the key of a data subject", () => {
  test("seals any value to a token that opens to the same value, type, role and time", () => {
    const key = subject.createSealingKey()
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const value = Buffer.from(text)
        const token = key.seal("string", text, METADATA)
        expect(token.startsWith("ev:c3cy:")).toBe(true)
        expect(openWith(token, subject)).toEqual({ type: "string", value, ...METADATA })
        expect(openWith(finish(key.sealInSteps("string", value)).toString(), subject)?.value).toEqual(value)
      }),
    )
  })

  test("marks tokens of a sandbox app, and keeps the digits of a number", () => {
    const sandbox = createTestSubject({ subjectId: SUBJECT_ID, debug: true })
    const token = sandbox.createSealingKey().seal("number", "1.0")
    expect(token.startsWith("ev:debug:c3cy:number:")).toBe(true)
    expect(openWith(token, sandbox)?.value.toString()).toBe("1.0")
  })

  test("shows nothing of a data subject but its id, and has a fresh salt each time", () => {
    const [first, second] = [subject, subject].map((each) =>
      parsed(each.createSealingKey().seal("string", "")),
    )
    if (!first || !second || !isOfSubject(first) || !isOfSubject(second))
      throw new Error("Of no data subject")
    expect(subjectIdIn(first.keySegment)).toEqual(SUBJECT_ID)
    expect(subjectIdIn(second.keySegment)).toEqual(SUBJECT_ID)
    expect(first.keySegment.subarray(17)).not.toEqual(second.keySegment.subarray(17))
  })

  test.each(VERSIONS)(
    "does not open a %s token of which any character is changed, added or cut off",
    (_version, seal) => {
      const token = seal(subject)
      expect(openWith(token, subject)?.value.toString()).toBe("ada@example.com")
      for (let at = 3; at < token.length - 2; at++) {
        const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1)
        for (const bad of [
          changed,
          token.slice(0, at) + token.slice(at + 1),
          `${token.slice(0, at)}A${token.slice(at)}`,
        ]) {
          expect(() => openWith(bad, subject) ?? refuse(), String(at)).toThrow()
        }
      }
    },
  )

  test.each(VERSIONS)(
    "does not open a %s token with the key of another data subject, nor under another id",
    (_version, seal) => {
      const other = createTestSubject()
      const token = seal(subject)
      expect(() => openWith(token, createTestSubject({ subjectId: SUBJECT_ID }))).toThrow(refusal)
      const foreign = parsed(seal(other))
      if (!isOfSubject(foreign)) throw new Error("Of no data subject")
      expect(() => subject.contentKey(foreign)).toThrow(refusal)
      const at = foreign.derivation === "subject" ? 1 : 0
      SUBJECT_ID.copy(foreign.keySegment, at)
      expect(() => openToken(foreign, subject.contentKey(foreign), subject.boundKey(foreign))).toThrow(
        refusal,
      )
    },
  )

  test("reads a token the same whatever token was read before it", () => {
    const tokens = [...VERSIONS, ...VERSIONS].map(([, seal]) => seal(subject))
    const first = VERSIONS.map(([, seal]) => parsed(seal(subject)))
    for (const token of tokens) {
      for (const previous of [null, ...first, ...tokens.map(parsed)]) {
        expect(parseToken(token, previous)).toEqual(parsed(token))
      }
    }
  })

  test.each(VERSIONS)("does not open a %s token that claims another version", (own, seal) => {
    const token = seal(subject)
    for (const version of TOKEN_VERSIONS.keys()) {
      if (version !== own) expect(() => parseToken(token.replace(own, version))).toThrow(refusal)
    }
  })

  test.each(VERSIONS)("lets no value be sealed beside a %s token", (_version, seal) => {
    const token = parsed(seal(subject))
    if (!isOfSubject(token)) throw new Error("Of no data subject")
    const by = { token, contentKey: subject.contentKey(token), appPublicKey: subject.appPublicKey }
    expect(sealBeside(by, randomBytes(12), "string", "x", METADATA)).toBeNull()
  })

  test.each(VERSIONS)("binds a public key in a %s token", (_version, seal) => {
    const token = parsed(seal(subject))
    if (!isOfSubject(token)) throw new Error("Of no data subject")
    const { publicKey } = createTestApp().prime256v1
    expect(() => openToken(token, subject.contentKey(token), publicKey)).toThrow(refusal)
  })

  test("refuses ids and keys of a wrong length", () => {
    expect(() => createTestSubject({ key: randomBytes(31) })).toThrow(TypeError)
    expect(() => createTestSubject({ appPublicKey: randomBytes(32) })).toThrow(TypeError)
    expect(() => createTestSubject({ subjectId: randomBytes(17) }).createSealingKey()).toThrow(TypeError)
  })
})

function refuse(): never {
  throw new Error("It is data")
}
