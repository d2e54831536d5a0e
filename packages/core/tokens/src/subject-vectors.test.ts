import { createSecretKey } from "node:crypto"
import { describe, expect, test } from "vitest"
import { isOfSubject } from "./crypto/content-key.ts"
import { subjectIdIn } from "./crypto/key-segment.ts"
import { deriveSubjectPrivateKey } from "./crypto/subject-private-key.ts"
import { parseToken } from "./format/parse-token.ts"
import { refusal } from "./testing/refused.ts"
import { openOfSubject, subjectVectors, vectorSubjects } from "./testing/subject-app.ts"
import { openSymmetricText, symmetricVectorApp } from "./testing/symmetric-app.ts"
import { openText } from "./testing/test-app.ts"
import { vectorApp } from "./testing/vectors.ts"

const { subjects, agreed } = subjectVectors
const vectors = [...subjectVectors.vectors, ...agreed.vectors]

describe("vectors of data subjects", () => {
  test.each(vectors)("open to value, type, role and time: $name", (vector) => {
    const { type, role, encryptedAt } = vector
    const opened = openOfSubject(vector.token, vectorSubjects)
    expect(opened).toEqual({ type, role, encryptedAt, value: Buffer.from(vector.value) })
  })

  test.each(vectors)("parse into data subject, salt and IV, and give the content key: $name", (vector) => {
    const token = parseToken(vector.token)
    if (token === null || !isOfSubject(token)) throw new Error("Not a token of a data subject")
    const { debug, keySegment, iv, contentKey } = vector
    const subjectId = subjects[vector.subject]?.subjectId ?? ""
    expect(token).toMatchObject({ debug, version: "salt" in vector ? "c3cy" : "c3cz" })
    expect(token.keySegment.toString("hex")).toBe(keySegment)
    expect(subjectIdIn(token.keySegment).toString("hex")).toBe(subjectId)
    expect(token.iv.toString("hex")).toBe(iv)
    const derived = vectorSubjects.get(subjectId)?.contentKey(token)
    expect(derived?.export().toString("hex")).toBe(contentKey)
  })

  test.each([...Object.entries(subjectVectors.refused), ...Object.entries(agreed.refused)])(
    "refuse a token: %s",
    (_, token) => {
      expect(() => openOfSubject(token, vectorSubjects)).toThrow(refusal)
    },
  )

  test.each(subjects)(
    "give the key pair of a data subject: %#",
    ({ subjectId, subjectKey, privateKey, publicKey }) => {
      const key = createSecretKey(Buffer.from(subjectKey, "hex"))
      expect(deriveSubjectPrivateKey(key).toString("hex")).toBe(privateKey)
      expect(vectorSubjects.get(subjectId)?.publicKey.toString("hex")).toBe(publicKey)
    },
  )

  test.each(vectors)("do not open with the other keys of an app: $name", ({ token }) => {
    expect(() => openText(token, vectorApp)).toThrow(refusal)
    expect(() => openSymmetricText(token, symmetricVectorApp, [1, 2, 3])).toThrow(refusal)
  })
})
