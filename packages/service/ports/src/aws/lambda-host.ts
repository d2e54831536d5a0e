import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  DeleteLogGroupCommand,
  FilterLogEventsCommand,
  PutRetentionPolicyCommand,
} from "@aws-sdk/client-cloudwatch-logs"
import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  type InvokeCommandOutput,
  LambdaClient,
} from "@aws-sdk/client-lambda"
import * as z from "zod"
import {
  type FunctionHost,
  type Invocation,
  LAMBDA_RUNTIMES,
  type LogLine,
  MAX_EVENT_BYTES,
  type NewProgram,
  RefusedProgramError,
} from "../ports/function-host.ts"
import type { LambdaHostConfiguration } from "../stage/configuration.ts"
import { LOG_OWNER_TAG } from "../stage/resource-tags.ts"
import type { Connect } from "./connections.ts"

const CREATE_TIMEOUT_MS = 30_000

const errorSchema = z.object({ errorType: z.string().default(""), errorMessage: z.string().default("") })

/**
 * Creates a host on which each program is a Lambda function. It has none of our environment variables, and only the
 * permission to write to its own log group. The group is created and removed with the function.
 */
export function createLambdaHost(connect: Connect, configuration: LambdaHostConfiguration): FunctionHost {
  const { prefix, roleArn, tags } = configuration
  // No retries: a retried call would run the customer's code again.
  const lambda = connect("lambda", (config) => new LambdaClient({ ...config, maxAttempts: 1 }))
  const logs = connect("logs", (config) => new CloudWatchLogsClient(config))
  const named = (name: string) => prefix + name

  /** Creates a function unless it exists. @returns its ARN */
  async function createFunction({
    name,
    language,
    zip,
    handler,
    timeoutSeconds,
    memoryMb,
  }: NewProgram): Promise<string | undefined> {
    const FunctionName = named(name)
    try {
      const { FunctionArn } = await lambda.send(
        new CreateFunctionCommand({
          FunctionName,
          PackageType: "Zip",
          Runtime: LAMBDA_RUNTIMES[language],
          Handler: handler,
          Role: roleArn,
          Timeout: timeoutSeconds,
          MemorySize: memoryMb,
          Code: { ZipFile: zip },
          Tags: tags,
        }),
        { requestTimeout: CREATE_TIMEOUT_MS },
      )
      return FunctionArn
    } catch (error) {
      if (isNamed(error, ...REFUSALS)) throw new RefusedProgramError(nameOf(error), { cause: error })
      if (!isNamed(error, "ResourceConflictException")) throw error
      return (await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))).FunctionArn
    }
  }

  return {
    async create(program) {
      const functionArn = await createFunction(program)
      if (functionArn === undefined) throw new Error("Lambda does not tell the ARN of a function")
      await ensureLogGroup(logs, logGroupOf(named(program.name)), functionArn, configuration)
    },

    async stateOf(name) {
      try {
        const { State, StateReasonCode } = await lambda.send(
          new GetFunctionConfigurationCommand({ FunctionName: named(name) }),
        )
        // An inactive function was active and has not been called for long: calling it makes it active again.
        if (State === "Active" || State === "Inactive") return "active"
        return State === "Failed" ? { failed: StateReasonCode ?? "Failed" } : "pending"
      } catch (error) {
        if (isNamed(error, "ResourceNotFoundException")) return "absent"
        throw error
      }
    },

    async invoke(name, event, limitMs, signal) {
      if (event.length > MAX_EVENT_BYTES) return { kind: "payload-too-large" }
      const timeout = AbortSignal.timeout(limitMs)
      const limit = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
      try {
        const answered = await lambda.send(
          new InvokeCommand({ FunctionName: named(name), InvocationType: "RequestResponse", Payload: event }),
          // The abort signal must end the call first: the SDK also reports a lost connection as a timeout.
          { abortSignal: limit, requestTimeout: limitMs + 1_000 },
        )
        return invocationOf(answered)
      } catch (error) {
        if (limit.aborted) return { kind: "timed-out", isStopped: false }
        const kind = INVOKE_ERRORS.get(nameOf(error))
        if (kind !== undefined) return { kind }
        throw error
      }
    },

    async remove(name) {
      // The log group last, so that nothing writes to it any more.
      await unlessAbsent(() => lambda.send(new DeleteFunctionCommand({ FunctionName: named(name) })))
      await unlessAbsent(() =>
        logs.send(new DeleteLogGroupCommand({ logGroupName: logGroupOf(named(name)) })),
      )
    },

    async logs(name, since, limit, after) {
      try {
        const { events = [], nextToken } = await logs.send(
          new FilterLogEventsCommand({
            logGroupName: logGroupOf(named(name)),
            startTime: since,
            limit,
            ...(after !== null && { nextToken: after }),
          }),
        )
        const lines = events.map(
          ({ timestamp = since, message = "" }): LogLine => ({ at: timestamp, message: message.trimEnd() }),
        )
        return { lines, next: nextToken ?? null }
      } catch (error) {
        // The deployment has not created its log group yet.
        if (isNamed(error, "ResourceNotFoundException")) return { lines: [], next: null }
        if (after !== null && isNamed(error, "InvalidParameterException")) return null
        throw error
      }
    },
  }
}

/** Returns where Lambda writes the logs of a function. */
function logGroupOf(functionName: string): string {
  return `/aws/lambda/${functionName}`
}

/** Creates a function's log group unless it exists, and sets how long its lines are kept. */
async function ensureLogGroup(
  logs: CloudWatchLogsClient,
  logGroupName: string,
  functionArn: string,
  { logRetentionDays, logKeyArn, tags }: LambdaHostConfiguration,
): Promise<void> {
  try {
    await logs.send(
      new CreateLogGroupCommand({
        logGroupName,
        tags: { ...tags, [LOG_OWNER_TAG]: functionArn },
        ...(logKeyArn !== null && { kmsKeyId: logKeyArn }),
      }),
    )
  } catch (error) {
    if (!isNamed(error, "ResourceAlreadyExistsException")) throw error
  }
  await logs.send(new PutRetentionPolicyCommand({ logGroupName, retentionInDays: logRetentionDays }))
}

async function unlessAbsent(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove()
  } catch (error) {
    if (!isNamed(error, "ResourceNotFoundException")) throw error
  }
}

const REFUSALS = [
  "InvalidParameterValueException",
  "CodeStorageExceededException",
  "CodeVerificationFailedException",
  "InvalidCodeSignatureException",
  "RequestEntityTooLargeException",
  "RequestTooLargeException",
]

const INVOKE_ERRORS: ReadonlyMap<string, "absent" | "not-ready" | "busy" | "payload-too-large"> = new Map([
  ["ResourceNotFoundException", "absent"],
  ["ResourceConflictException", "not-ready"],
  ["ResourceNotReadyException", "not-ready"],
  ["CodeArtifactUserPendingException", "not-ready"],
  ["TooManyRequestsException", "busy"],
  ["RequestTooLargeException", "payload-too-large"],
  ["RequestEntityTooLargeException", "payload-too-large"],
])

const NOTHING = Buffer.alloc(0)
const TIMED_OUT = /Task timed out after [0-9.]+ seconds/

function invocationOf({ FunctionError, Payload }: InvokeCommandOutput): Invocation {
  const answer =
    Payload === undefined ? NOTHING : Buffer.from(Payload.buffer, Payload.byteOffset, Payload.length)
  if (FunctionError === undefined) return { kind: "answered", answer }
  const { errorType, errorMessage } = readError(answer)
  // With any other type, the message may be the customer's.
  const isOfLambda = errorType === "" || errorType === "Runtime.ExitError"
  if (errorType === "Sandbox.Timedout" || (isOfLambda && TIMED_OUT.test(errorMessage))) {
    return { kind: "timed-out", isStopped: true }
  }
  if (errorType === "Runtime.OutOfMemory" || (isOfLambda && errorMessage.includes("signal: killed"))) {
    return { kind: "out-of-memory" }
  }
  if (errorType === "Function.ResponseSizeTooLarge") return { kind: "answer-too-large" }
  return { kind: INITIALISATION_ERRORS.has(errorType) ? "not-initialised" : "exited" }
}

/** Errors that only occur before a run. Any other, such as an unhandled rejection, may occur during one. */
const INITIALISATION_ERRORS: ReadonlySet<string> = new Set([
  "Runtime.ImportModuleError",
  "Runtime.UserCodeSyntaxError",
  "Runtime.HandlerNotFound",
])

function readError(answer: Buffer): z.infer<typeof errorSchema> {
  try {
    return errorSchema.parse(JSON.parse(answer.toString()))
  } catch {
    return { errorType: "", errorMessage: "" }
  }
}

function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return names.includes(nameOf(error))
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ""
}
