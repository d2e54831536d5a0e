import { type SubjectKey, subjectIdBytes } from "../sealing/subject-key.ts"

/**
 * Reads what `POST /data-subjects/key` answers; also where a page got it from its server.
 *
 * @returns null when it is something else, or of another app
 */
export function readSubjectKey(given: unknown, appId: string): SubjectKey | null {
  if (typeof given !== "object" || given === null) return null
  const { id, app, publicKey, isSandbox } = given as Partial<Record<keyof SubjectKey, unknown>>
  if (app !== appId || typeof id !== "string" || subjectIdBytes(id) === null) return null
  if (typeof publicKey !== "string" || typeof isSandbox !== "boolean") return null
  return { id, app, publicKey, isSandbox }
}
