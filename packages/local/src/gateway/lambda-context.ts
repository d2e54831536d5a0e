import { randomUUID } from "node:crypto"
import type { RequestTask } from "@sealway/kernel"
import type { HandlerContext } from "@sealway/platform"

/** Creates the Lambda context of one invocation. */
export function createLambdaContext(
  functionName: string,
  deadlineEpochMs: number,
  task: RequestTask,
): HandlerContext {
  return {
    task,
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

/** The runtime has no callbacks since Node.js 24; the types still require these. */
function refuseCallback(): never {
  throw new TypeError("A handler answers with the promise it returns")
}
