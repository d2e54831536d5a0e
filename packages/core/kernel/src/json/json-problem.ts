import { InvalidRequestError } from "../errors/errors.ts"
import { AmbiguousJsonError } from "./parse-strict-json.ts"
import { JsonDepthError, JsonSyntaxError } from "./scan-json.ts"

/** The maximum nesting depth of JSON containers. */
export const MAX_JSON_DEPTH = 100

/** Translates a JSON error for the caller; returns any other error unchanged. */
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
