import { defaultProvider } from "@aws-sdk/credential-provider-node"
import { NodeHttpHandler } from "@smithy/node-http-handler"
import * as z from "zod"
import {
  type AwsCredentials,
  createJsonClient,
  type JsonClient,
  type RequestSender,
} from "../aws/json-client.ts"
import { DYNAMODB, type JsonService, KMS, LAMBDA, LOGS, SQS } from "../aws/json-services.ts"
import { createKmsKeys } from "../aws/kms-keys.ts"
import type {
  DynamoDbOperations,
  LambdaOperations,
  LogsOperations,
  Operations,
  SqsOperations,
} from "../aws/operations.ts"
import { createSqsQueues } from "../aws/sqs-queues.ts"
import type { Keys } from "../ports/keys.ts"
import type { QueueSender } from "../ports/queues.ts"
import { reportingKeys } from "../ports/reporting-keys.ts"
import { createDynamoDbTable } from "../tables/dynamodb-table.ts"
import { reportingTable } from "../tables/reporting-table.ts"
import type { OpenTable } from "../tables/table.ts"
import type { AwsService, Configuration } from "./configuration.ts"
import { KEY_PARTS, type KeyPart } from "./key-parts.ts"

export type Logs = JsonClient<LogsOperations>
export type Lambda = JsonClient<LambdaOperations>

export interface AwsClients {
  readonly openTable: OpenTable
  readonly keys: Keys
  /** @param urls of the queues that this process may send to, where they are those of SQS */
  readonly openQueues: (urls: Configuration["queueUrls"]) => QueueSender
  /** CloudWatch Logs. */
  readonly logs: Logs
  /** For functions of the service itself; those of customers are called through the SDK. */
  readonly lambda: Lambda
  /** Creates a client of the SDK for another service with the same settings, so that only its few users load it. */
  readonly connect: Connect
  /** Closes the connections of the clients, except those of `connect`. */
  destroy(): void
}

/** The settings of a client. */
export interface AwsClientConfig {
  readonly region: string
  readonly endpoint?: string
  readonly maxAttempts: number
  readonly requestHandler: {
    readonly connectionTimeout: number
    readonly requestTimeout: number
    readonly throwOnRequestTimeout: boolean
  }
  readonly credentials?: AwsCredentials
}

export type Connect = <Client extends ObservableClient>(
  service: AwsService,
  create: (config: AwsClientConfig) => Client,
) => Client

/** The common part of the AWS SDK clients. */
interface ObservableClient {
  readonly middlewareStack: {
    add(middleware: ReturnType<typeof reportCall>, place: { step: "initialize"; name: string }): void
  }
}

/** Where AWS is called: the part of `Configuration` that clients need. */
export interface AwsPlace extends Pick<Configuration, "region">, Partial<Pick<Configuration, "files">> {
  readonly endpoints: Partial<Configuration["endpoints"]>
}

export interface AwsClientOptions {
  /** Default: the SDK's own chain (a Lambda's role). */
  readonly credentials?: AwsCredentials
  /**
   * The timeout of one attempt of a call, for the head of its answer and again for the rest; there are three attempts.
   * Default: 3,000, so that a stalled service ends as a 503 well before the request's own limit.
   */
  readonly requestTimeoutMs?: number
  /**
   * Handles the requests to a service that runs in this process, which are not signed: signing is a quarter of such a call.
   * Default: they are sent over HTTP.
   */
  readonly requestHandlers?: Readonly<Partial<Record<AwsService, RequestSender>>>
  /** Opens tables that this process has itself. Default: they are DynamoDB's. */
  readonly openTable?: OpenTable
  /** Keys that this process has itself. Default: they are those of KMS. */
  readonly keys?: Keys
  /** Queues that this process has itself. Default: they are those of SQS. */
  readonly queues?: QueueSender
  /** See `JsonClientOptions`. */
  readonly traceIdOf?: () => string | undefined
  /** Called before each API call, once for all its retries: to count calls and check grants. */
  readonly onCall?: (call: AwsCall) => void
}

const contextSchema = z.object({ version: z.string().optional(), part: z.enum(KEY_PARTS).optional() })

/** An AWS API call, named as IAM names it. */
export interface AwsCall {
  readonly service: AwsService
  readonly operation: string
  /** The table or queue, `files` for their bucket, or the part of a key version that is decrypted; null for everything else. */
  readonly resource: string | null
}

const CONNECTION_TIMEOUT_MS = 1_000
/** Applies to one attempt of a call. */
export const REQUEST_TIMEOUT_MS = 3_000

/** Creates the AWS clients. Call it once, where a process starts. */
export function createAwsClients(
  { region, endpoints, files = null }: AwsPlace,
  options: AwsClientOptions = {},
): AwsClients {
  const { credentials, requestHandlers = {}, openTable, traceIdOf, onCall } = options
  const common = {
    region,
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      // The SDK would only log a warning for a request timeout.
      throwOnRequestTimeout: true,
    },
    ...(credentials && { credentials }),
  }
  const { requestTimeout: restTimeoutMs } = common.requestHandler
  const http = new NodeHttpHandler(common.requestHandler)
  const identity = credentials ?? defaultProvider()
  function clientOf<Known extends Operations>(service: JsonService): JsonClient<Known> {
    const here = requestHandlers[service.name]
    const client = createJsonClient<Known>(service, {
      region,
      endpoint: endpoints[service.name],
      maxAttempts: common.maxAttempts,
      sender: here ?? http,
      credentials: here === undefined ? identity : null,
      restTimeoutMs,
      wallClock: Date.now,
      ...(traceIdOf && { traceIdOf }),
    })
    return onCall === undefined ? client : reporting(service.name, client, onCall)
  }
  return {
    openTable:
      openTable === undefined
        ? openTableIn(clientOf<DynamoDbOperations>(DYNAMODB))
        : openReported(openTable, onCall),
    keys: options.keys === undefined ? createKmsKeys(clientOf(KMS)) : reported(options.keys, onCall),
    openQueues: openQueuesOf(clientOf(SQS), options),
    logs: clientOf(LOGS),
    lambda: clientOf(LAMBDA),
    connect(service, create) {
      const endpoint = endpoints[service]
      const client = create({ ...common, ...(endpoint && { endpoint }) })
      if (onCall !== undefined) {
        client.middlewareStack.add(reportCall(service, onCall, files), {
          step: "initialize",
          name: "reportCall",
        })
      }
      return client
    },
    destroy: () => http.destroy(),
  }
}

function openTableIn(dynamodb: JsonClient<DynamoDbOperations>): OpenTable {
  return (name, wallClock) => createDynamoDbTable(dynamodb, name, wallClock)
}

function openReported(openTable: OpenTable, onCall: AwsClientOptions["onCall"]): OpenTable {
  if (onCall === undefined) return openTable
  return (name, wallClock) =>
    reportingTable(openTable(name, wallClock), (operation) =>
      onCall({ service: "dynamodb", operation, resource: name }),
    )
}

function openQueuesOf(
  sqs: JsonClient<SqsOperations>,
  { queues, onCall }: AwsClientOptions,
): AwsClients["openQueues"] {
  if (queues === undefined) return (urls) => createSqsQueues(sqs, urls)
  return () => ({
    async send(queue, ...message) {
      onCall?.({ service: "sqs", operation: "SendMessage", resource: queue })
      await queues.send(queue, ...message)
    },
  })
}

function reported(keys: Keys, onCall: AwsClientOptions["onCall"]): Keys {
  if (onCall === undefined) return keys
  return reportingKeys(keys, (operation, context) =>
    onCall({ service: "kms", operation, resource: resourceOfKey(operation, context) }),
  )
}

function reporting<Known extends Operations>(
  service: AwsService,
  client: JsonClient<Known>,
  onCall: (call: AwsCall) => void,
): JsonClient<Known> {
  return {
    call(operation, input, options) {
      onCall({ service, operation: operationOf(operation), resource: resourceOf(operation, input, null) })
      return client.call(operation, input, options)
    },
  }
}

function reportCall(service: AwsService, onCall: (call: AwsCall) => void, files: Configuration["files"]) {
  return <Args extends { readonly input: object }, Result>(
    next: (args: Args) => Promise<Result>,
    { commandName }: { readonly commandName?: string },
  ) =>
    (args: Args) => {
      const operation = operationOf(commandName)
      onCall({ service, operation, resource: resourceOf(operation, args.input, files) })
      return next(args)
    }
}

function resourceOf(operation: string, input: object, files: Configuration["files"]): string | null {
  if ("Bucket" in input) return input.Bucket === files?.bucket ? "files" : null
  if ("TableName" in input) return String(input.TableName)
  if ("EncryptionContext" in input) return resourceOfKey(operation, input.EncryptionContext)
  return "QueueUrl" in input ? (String(input.QueueUrl).split("/").at(-1) ?? null) : null
}

/** Returns null for what is no key version. The context of a private part names no part. */
function resourceOfKey(operation: string, context: unknown): KeyPart | null {
  if (operation !== "Decrypt") return null
  const { version, part = "private" } = contextSchema.parse(context)
  return version === undefined ? null : part
}

/** Commands whose names differ in IAM: those of Lambda, and of lists and uploads of S3. */
const IAM_NAMES: ReadonlyMap<string, string> = new Map([
  ["Invoke", "InvokeFunction"],
  ["ListObjectsV2", "ListBucket"],
  ["CreateMultipartUpload", "PutObject"],
  ["CompleteMultipartUpload", "PutObject"],
  ["ListParts", "ListMultipartUploadParts"],
])

function operationOf(commandName: string | undefined): string {
  const name = (commandName ?? "unknown").replace(/Command$/, "")
  return IAM_NAMES.get(name) ?? name
}
