import { InvalidRequestError } from "../errors/errors.ts"
import { AmbiguousJsonError } from "./parse-strict-json.ts"
import { JsonDepthError, JsonSyntaxError } from "./scan-json.ts"

/** How deep containers may be nested in JSON. */
export const MAX_JSON_DEPTH = 100

/** What a JSON error means to the caller; any other error is passed through. */
export function jsonProblem(error: unknown): unknown {
  if (error instanceof JsonSyntaxError) {
    return new InvalidRequestError(`The body is not valid JSON: ${error.message}.`, { cause: error })
  }
  if (error instanceof JsonDepthError) {
    return new InvalidRequestError(`The JSON document is nested deeper than ${MAX_JSON_DEPTH} levels.`, {
      cause: error,
    })
  }
  if (error instanceof AmbiguousJsonError) {
    return new InvalidRequestError(`The body is ambiguous: ${error.message}.`, { cause: error })
  }
  return error
}
