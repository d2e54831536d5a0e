import type { App } from "@sealway/accounts"
import { andThen, formatCount, type MaybePromise, PayloadTooLargeError } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import { type SubjectContent, type SubjectKey, subjectIdOf } from "@sealway/tokens"
import type { Open, OpeningKey } from "./opening-key.ts"

/** How many data subjects that are not in memory one request may read. */
export const MAX_SUBJECTS = 1_000

const TOO_MANY_SUBJECTS = `The request has values of more than ${formatCount(MAX_SUBJECTS)} data subjects. Send fewer at a time.`
const NO_MARKS = ""

/** Opens values of data subjects, during one request. */
export interface SubjectOpenings {
  /**
   * Opens a value with the key of its data subject.
   *
   * @param id of the value's content key
   * @throws InvalidTokenError, ErasedSubjectError, as `SubjectKeys` does
   * @throws PayloadTooLargeError when it is of the 1,001st data subject that is not in memory
   */
  open<Opened>(id: string, sealed: SubjectContent, open: Open<Opened>): MaybePromise<Opened>
  /** How many data subjects were not in memory. */
  count(): number
}

export function createSubjectOpenings(keyring: Keyring, app: App): SubjectOpenings {
  /** The keys of values, and what they follow from. */
  const keys = new Map<string, { readonly subject: SubjectKey; readonly key: OpeningKey }>()
  const read = new Set<string>()

  function readSubject(subjectId: string): MaybePromise<SubjectKey> {
    if (read.add(subjectId).size > MAX_SUBJECTS) throw new PayloadTooLargeError(TOO_MANY_SUBJECTS)
    return keyring.subjects.open(app, subjectId)
  }

  return {
    open(id, sealed, open) {
      const subjectId = subjectIdOf(sealed)
      // Asked for at each value: it must not be used for longer than `SubjectKeys` keeps it.
      const found = keyring.subjects.peek(app, subjectId) ?? readSubject(subjectId)
      return andThen(found, (subject) => {
        const known = keys.get(id)
        if (known?.subject === subject) return open(known.key)
        // No honey token is sealed for a data subject.
        const key = {
          contentKey: subject.contentKey(sealed),
          honeyMarks: NO_MARKS,
          appPublicKey: subject.boundKey(sealed),
        }
        return andThen(open(key), (opened) => {
          keys.set(id, { subject, key })
          return opened
        })
      })
    },
    count: () => read.size,
  }
}
