import { SUBJECT_CREATION_GRANTS } from "@sealway/keys"
import { SUBJECT_READING_GRANTS } from "@sealway/ports"

/**
 * Adds what opening a value of a data subject takes, to the calls of what opens only other values in a test. Values of both
 * kinds are opened by the same code: the test of what `decrypt` calls opens both.
 */
export function withSubjects(calls: readonly string[]): string[] {
  return [...new Set([...calls, ...SUBJECT_READING_GRANTS])].sort()
}

/** Does the same for what also seals: the test of what `encrypt` calls seals for a data subject. */
export function withSealedSubjects(calls: readonly string[]): string[] {
  return [...new Set([...withSubjects(calls), ...SUBJECT_CREATION_GRANTS])].sort()
}
