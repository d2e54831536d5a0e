import { InvalidTokenError } from "./invalid-token-error.ts"

/**
 * The key of a data subject is destroyed, or is going to be. Where nothing else is said about it, its values are values
 * that do not open.
 */
export class ErasedSubjectError extends InvalidTokenError {}
