import { randomBytes } from "node:crypto"
import subjectVectors from "../../vectors/subjects.json" with { type: "json" }
import { isOfSubject } from "../crypto/content-key.ts"
import { subjectIdIn } from "../crypto/key-segment.ts"
import { parseToken } from "../format/parse-token.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { type OpenedValue, openToken } from "../values/open-token.ts"
import { createSubjectKey, type SubjectKey, type SubjectKeyOptions } from "../values/subject-key.ts"

/** Tokens of `c3cy` of an independent implementation. */
export { subjectVectors }

const appPublicKey = Buffer.from(subjectVectors.appPublicKey, "hex")

/** Creates the key of a data subject, with a random id and key unless they are given. */
export function createTestSubject(options: Partial<SubjectKeyOptions> = {}): SubjectKey {
  return createSubjectKey({
    subjectId: randomBytes(16),
    key: randomBytes(32),
    appPublicKey,
    debug: false,
    ...options,
  })
}

/** The keys of the data subjects of the vectors, by their ids. */
export const vectorSubjects: ReadonlyMap<string, SubjectKey> = new Map(
  subjectVectors.subjects.map(({ subjectId, subjectKey }) => [
    subjectId,
    createTestSubject({ subjectId: Buffer.from(subjectId, "hex"), key: Buffer.from(subjectKey, "hex") }),
  ]),
)

/** Opens a token with the key of the data subject that it names. Returns null when the text is data. */
export function openOfSubject(text: string, subjects: ReadonlyMap<string, SubjectKey>): OpenedValue | null {
  const token = parseToken(text)
  if (token === null) return null
  const subject = isOfSubject(token) ? subjects.get(subjectIdIn(token.keySegment).toString("hex")) : undefined
  if (!isOfSubject(token) || subject === undefined) throw new InvalidTokenError()
  return openToken(token, subject.contentKey(token), subject.boundKey(token))
}
