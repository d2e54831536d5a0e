import { randomUUID } from "node:crypto"
import { LambdaError } from "../lambda-error.ts"
import type { LambdaOperation } from "./operation.ts"

/** Invoke, with `InvocationType` RequestResponse. */
export const invoke: LambdaOperation = async ({ functionName, headers, query, body }, lambda) => {
  const type = headers["x-amz-invocation-type"] ?? "RequestResponse"
  const logType = headers["x-amz-log-type"] ?? "None"
  if (type !== "RequestResponse" || logType !== "None") {
    throw new LambdaError(
      "InvalidParameterValueException",
      "The embedded Lambda offers RequestResponse without a log tail.",
    )
  }
  const qualifier = query.get("Qualifier")
  if (qualifier !== null && qualifier !== "$LATEST") {
    throw new LambdaError("ResourceNotFoundException", "The embedded Lambda offers the version $LATEST only.")
  }
  const stored = lambda.find(functionName)
  const outcome = await lambda.invoke(stored, randomUUID(), eventOf(body))
  return {
    status: 200,
    headers: {
      "x-amz-executed-version": "$LATEST",
      ...(outcome.failed && { "x-amz-function-error": "Unhandled" }),
    },
    body: outcome.payload,
    sent: outcome.release,
  }
}

function eventOf(body: Buffer): Buffer {
  if (body.length === 0) return Buffer.from("{}")
  try {
    JSON.parse(body.toString())
    return body
  } catch {
    // The parser's own message quotes the body.
    throw new LambdaError("InvalidRequestContentException", "Could not parse request body into json")
  }
}
