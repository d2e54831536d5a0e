import { randomBytes } from "node:crypto"
import { finish } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isOfSubject } from "../crypto/content-key.ts"
import { subjectIdIn } from "../crypto/key-segment.ts"
import { type ParsedToken, parseToken } from "../format/parse-token.ts"
import { TOKEN_VERSIONS } from "../format/token-version.ts"
import { refusal } from "../testing/refused.ts"
import { createTestSubject, openOfSubject } from "../testing/subject-app.ts"
import { createTestApp } from "../testing/test-app.ts"
import { openToken } from "./open-token.ts"
import { sealBeside } from "./seal-beside.ts"
import type { SubjectKey } from "./subject-key.ts"

const SUBJECT_ID = randomBytes(16)
const subject = createTestSubject({ subjectId: SUBJECT_ID })
const METADATA = { role: "email", encryptedAt: 1_795_000_000 }

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

  test("does not open what another key with the same id has sealed: a data subject that was erased stays erased", () => {
    const token = subject.createSealingKey().seal("string", "ada@example.com", METADATA)
    expect(() => openWith(token, createTestSubject({ subjectId: SUBJECT_ID }))).toThrow(refusal)
  })

  test("does not open a token that names another data subject", () => {
    const other = createTestSubject()
    const token = parsed(other.createSealingKey().seal("string", "ada@example.com"))
    if (!isOfSubject(token)) throw new Error("Of no data subject")
    expect(() => subject.contentKey(token)).toThrow(refusal)
  })

  test("does not open a token of which any character is changed or cut off", () => {
    const token = subject.createSealingKey().seal("string", "ada@example.com", METADATA)
    for (let at = 3; at < token.length - 2; at++) {
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1)
      expect(() => openWith(changed, subject) ?? refuse(), String(at)).toThrow()
      expect(() => openWith(`${token.slice(0, at)}${token.slice(at + 1)}`, subject) ?? refuse()).toThrow()
    }
  })

  test("does not open a token that claims another version", () => {
    const token = subject.createSealingKey().seal("string", "ada@example.com")
    for (const version of TOKEN_VERSIONS.keys()) {
      if (version !== "c3cy") expect(() => parseToken(token.replace("c3cy", version))).toThrow(refusal)
    }
  })

  test("lets no value be sealed beside one of a data subject", () => {
    const token = parsed(subject.createSealingKey().seal("string", "ada@example.com"))
    if (!isOfSubject(token)) throw new Error("Of no data subject")
    const by = { token, contentKey: subject.contentKey(token), appPublicKey: subject.appPublicKey }
    expect(sealBeside(by, randomBytes(12), "string", "x", METADATA)).toBeNull()
  })

  test("binds the app's public key", () => {
    const token = parsed(subject.createSealingKey().seal("string", "ada@example.com"))
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
