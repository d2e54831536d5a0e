import { randomUUID } from "node:crypto"
import type { HandlerContext, KnownSender } from "@sealway/http"
import type { RequestTask } from "@sealway/kernel"

/** The Lambda context of one invocation. What handlers hardly ever ask for is made when they do. */
export class LocalContext implements HandlerContext {
  readonly task: RequestTask
  readonly sender: KnownSender
  readonly functionName: string
  readonly functionVersion = "$LATEST"
  readonly memoryLimitInMB = "1024"
  readonly logStreamName = "[$LATEST]local"
  callbackWaitsForEmptyEventLoop = true
  readonly #deadlineEpochMs: number
  #awsRequestId: string | null = null

  constructor(functionName: string, deadlineEpochMs: number, task: RequestTask, sender: KnownSender) {
    this.functionName = functionName
    this.task = task
    this.sender = sender
    this.#deadlineEpochMs = deadlineEpochMs
  }

  get awsRequestId(): string {
    this.#awsRequestId ??= randomUUID()
    return this.#awsRequestId
  }

  get invokedFunctionArn(): string {
    return `arn:aws:lambda:us-east-1:000000000000:function:${this.functionName}`
  }

  get logGroupName(): string {
    return `/aws/lambda/${this.functionName}`
  }

  getRemainingTimeInMillis(): number {
    return Math.max(0, this.#deadlineEpochMs - Date.now())
  }

  done(): never {
    refuseCallback()
  }

  fail(): never {
    refuseCallback()
  }

  succeed(): never {
    refuseCallback()
  }
}

/** The runtime has no callbacks since Node.js 24; the types still require these. */
function refuseCallback(): never {
  throw new TypeError("A handler answers with the promise it returns")
}
