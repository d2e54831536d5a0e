import { randomUUID } from "node:crypto"
import type { Context } from "aws-lambda"

/** The Lambda context of one invocation. */
export function createLambdaContext(functionName: string, deadlineEpochMs: number): Context {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: "1024",
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: "[$LATEST]local",
    getRemainingTimeInMillis: () => Math.max(0, deadlineEpochMs - Date.now()),
    done: refuseCallback,
    fail: refuseCallback,
    succeed: refuseCallback,
  }
}

/** The runtime has no callbacks from Node.js 24 on; the types still ask for these. */
function refuseCallback(): never {
  throw new TypeError("A handler answers with the promise it returns")
}
