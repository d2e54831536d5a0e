import { z } from "zod"
import { LambdaError } from "../lambda-error.ts"

/** Source: the pattern of `logGroupName` in the API reference of CloudWatch Logs. */
export const LOG_GROUP_NAME = z.string().regex(/^[.\-_/#A-Za-z0-9]{1,512}$/)

/** @throws LambdaError InvalidParameterException */
export function parseLogsRequest<Request>(schema: z.ZodType<Request>, body: Buffer): Request {
  const parsed = schema.safeParse(parseJson(body))
  if (parsed.success) return parsed.data
  throw new LambdaError(
    "InvalidParameterException",
    "A parameter is invalid, or not offered by the embedded CloudWatch Logs.",
  )
}

export function unknownLogGroup(): LambdaError {
  return new LambdaError("ResourceNotFoundException", "The specified log group does not exist.")
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new LambdaError("InvalidParameterException", "The body is not JSON.")
  }
}
