import {
  InvokeCommand,
  LambdaClient,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from "@aws-sdk/client-lambda"
import type { DeserializeMiddleware } from "@smithy/types"
import { BoundedHandler } from "./bounded-handler.ts"
import type { Connect } from "./connections.ts"

/**
 * Calls a function of the service itself, repeatedly where a retry may help: also when it fails, so it must recognise its
 * own repetition.
 *
 * @returns what it answers, from JSON
 * @throws FunctionFailedError when it fails, and any error of the SDK
 */
export type InvokeFunction = (functionName: string, payload: object) => Promise<unknown>

/** A function that was called failed. What it answered may contain anything: its log says more. */
export class FunctionFailedError extends Error {
  override readonly name = "FunctionFailed"
  /** By which the SDK repeats the call. */
  readonly $metadata = { httpStatusCode: 500 } as const
}

export function createLambdaInvoker(connect: Connect): InvokeFunction {
  const client = connect(
    "lambda",
    ({ requestHandler, ...config }) =>
      new LambdaClient({ ...config, requestHandler: new BoundedHandler(requestHandler) }),
  )
  // Within each attempt, so that the SDK makes another.
  client.middlewareStack.addRelativeTo(throwFailures, {
    name: "throwFailures",
    relation: "before",
    toMiddleware: "deserializerMiddleware",
  })
  return async (FunctionName, payload) => {
    const command = new InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(payload)) })
    const { Payload } = await client.send(command)
    return parseAnswer(Buffer.from(Payload ?? []).toString())
  }
}

/** The parser's own error would quote from what was answered. */
function parseAnswer(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new FunctionFailedError("A function answered with what is no JSON")
  }
}

const throwFailures: DeserializeMiddleware<ServiceInputTypes, ServiceOutputTypes> =
  (next) => async (args) => {
    const answered = await next(args)
    const { output = {} } = answered
    if ("FunctionError" in output && output.FunctionError !== undefined)
      throw new FunctionFailedError("A function that was called failed")
    return answered
  }
