import {
  ApiError,
  type FieldProblem,
  InvalidRequestError,
  jsonPointer,
  PROBLEM_CONTENT_TYPE,
  problemBody,
} from "@sealway/kernel"
import { isUnavailability } from "@sealway/ports"
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda"
import * as z from "zod"
import { EVERY_ANSWER } from "./every-answer.ts"
import { issuesWithinUnion } from "./union-issues.ts"

/** Converts an error to its refusal. Unexpected errors become a 500 or, when AWS is the cause, a 503. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return isUnavailability(error)
    ? new ApiError("service-unavailable", "The service is busy or unreachable. Try again shortly.", {
        cause: error,
        headers: { "retry-after": "1" },
      })
    : new ApiError("internal-server-error", "An unexpected error occurred.", { cause: error })
}

export function problemResponse(error: ApiError): APIGatewayProxyStructuredResultV2 {
  const problem = problemBody(error.code, error.message, error.fields)
  return {
    statusCode: problem.status,
    headers: { "content-type": PROBLEM_CONTENT_TYPE, ...EVERY_ANSWER, ...error.headers },
    body: JSON.stringify(problem),
  }
}

/** The prefix of pointers; `""` for the body. */
export type ProblemPlace = "" | "/path" | "/query" | "/headers"

/**
 * Parses a part of a request with a schema.
 *
 * @throws InvalidRequestError that says what the schema expects, and repeats nothing of the value
 */
export function parseRequestPart<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  place: ProblemPlace,
): Value {
  const result = schema.safeParse(value, { error: tellAllowedFields })
  if (result.success) return result.data
  const fields = result.error.issues
    .flatMap(issuesWithinUnion)
    .map((issue): FieldProblem => ({ pointer: place + jsonPointer(issue.path), reason: `${issue.message}.` }))
  throw new InvalidRequestError("The request does not match the schema.", { fields })
}

/** zod's messages say what a schema expects and never repeat the input, except for one, which repeats unknown names. */
function tellAllowedFields({ code, inst }: z.core.$ZodRawIssue): string | undefined {
  if (code !== "unrecognized_keys") return undefined
  const names = inst instanceof z.ZodObject ? Object.keys(inst.shape) : []
  return `Unknown field. Allowed fields: ${names.join(", ") || "none"}`
}
