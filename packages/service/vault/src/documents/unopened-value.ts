import { ApiError, invalidField } from "@sealway/kernel"
import { ErasedSubjectError } from "@sealway/tokens"

const ERASED = "The value's data subject is erased, or is going to be."

/**
 * Builds the refusal of a value that does not open. It says why only when the data subject that the value names is
 * erased: nobody can guess its id.
 *
 * @param pointer JSON Pointer to the value
 */
export function unopenedValue(pointer: string, cause: unknown): ApiError {
  return cause instanceof ErasedSubjectError
    ? new ApiError("data-subject/erased", ERASED, { fields: [{ pointer, reason: ERASED }], cause })
    : invalidField(pointer, "The value cannot be decrypted.", cause)
}
