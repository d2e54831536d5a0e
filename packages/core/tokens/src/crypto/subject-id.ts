import type { SubjectContent } from "./content-key.ts"
import { subjectIdIn } from "./key-segment.ts"

const PREFIX = "data_subject_"

/** Returns the id of the data subject that a token names: `data_subject_` and 32 hexadecimal digits. */
export function subjectIdOf({ keySegment }: SubjectContent): string {
  return encodeSubjectId(subjectIdIn(keySegment))
}

/** Returns the id of a data subject from its bytes. @param bytes 16 */
export function encodeSubjectId(bytes: Buffer): string {
  return PREFIX + bytes.toString("hex")
}

/** Returns the 16 bytes of an id that `encodeSubjectId` has made. */
export function decodeSubjectId(id: string): Buffer {
  return Buffer.from(id.slice(PREFIX.length), "hex")
}
