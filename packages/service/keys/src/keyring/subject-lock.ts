import { createHash, hkdfSync } from "node:crypto"
import type { App } from "@sealway/accounts"
import type { SubjectKeys } from "./subject-keys.ts"

/** Locks data with the keys of several data subjects: without any one of them, it opens no more. */
export interface SubjectLock {
  /** The ids of the data subjects, at least one. */
  readonly subjects: readonly string[]
  /** 32 bytes, which follow from the keys of all of them. */
  readonly key: Buffer
}

/** How many data subjects are read at the same time. */
const AT_ONCE = 32

/**
 * Derives a lock from the keys of data subjects, as they are now.
 *
 * @param subjects their ids, in the order of the lock's. None: there is no lock
 * @throws ErasedSubjectError when any of them is erased, or is going to be
 */
export async function subjectLock(
  keys: Pick<SubjectKeys, "open">,
  app: App,
  subjects: readonly string[],
  purpose: string,
): Promise<SubjectLock | null> {
  if (subjects.length === 0) return null
  const hash = createHash("sha256")
  for (let start = 0; start < subjects.length; start += AT_ONCE) {
    const some = subjects.slice(start, start + AT_ONCE)
    const opened = await Promise.all(some.map(async (id) => keys.open(app, id)))
    for (const subject of opened) hash.update(subject.deriveKey(purpose))
  }
  return { subjects, key: hash.digest() }
}

/** Returns the key that takes the lock too: what it seals opens with both only. Null: there is no lock. */
export function withLock(key: Buffer, lock: SubjectLock | null = null): Buffer {
  return lock === null ? key : Buffer.from(hkdfSync("sha256", key, lock.key, "sealway/v1/subject-lock", 32))
}
