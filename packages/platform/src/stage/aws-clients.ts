import { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { KMSClient, type KMSClientConfig } from "@aws-sdk/client-kms"
import { SQSClient } from "@aws-sdk/client-sqs"
import { DynamoDBDocumentClient, type PutCommand } from "@aws-sdk/lib-dynamodb"
import * as z from "zod"
import type { DocumentClient, DocumentCommand } from "../tables/document-client.ts"
import type { AwsService, Configuration } from "./configuration.ts"
import { KEY_PARTS, type KeyPart } from "./key-parts.ts"

export interface AwsClients {
  readonly dynamodb: DocumentClient
  readonly kms: KMSClient
  readonly sqs: SQSClient
  /** Creates a client of another service with the same settings, so that only its few users load it. */
  readonly connect: Connect
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
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
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

export interface AwsClientOptions {
  /** Default: the SDK's own chain (a Lambda's role). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /**
   * The timeout of one attempt of a call; there are three. Default: 3,000, so that a stalled service ends as a 503 well
   * before the request's own limit.
   */
  readonly requestTimeoutMs?: number
  /**
   * Handles the requests to a service that runs in this process, which are not signed: signing is a quarter of such a call.
   * Default: the SDK's own handler, over HTTP.
   */
  readonly requestHandlers?: Readonly<Partial<Record<"kms" | "sqs", RequestHandler>>>
  /** A client of a DynamoDB in this process. Default: the SDK's own. */
  readonly dynamodb?: DocumentClient
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
const UNSIGNED: NonNullable<KMSClientConfig["signer"]> = { sign: async (request) => request }
type RequestHandler = NonNullable<KMSClientConfig["requestHandler"]>
/** Applies to one attempt of a call. */
export const REQUEST_TIMEOUT_MS = 3_000

/** Creates the AWS clients. Call it once, where a process starts. */
export function createAwsClients(configuration: Configuration, options: AwsClientOptions = {}): AwsClients {
  const common = {
    region: configuration.region,
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      // The SDK would only log a warning for a request timeout.
      throwOnRequestTimeout: true,
    },
    ...(options.credentials && { credentials: options.credentials }),
  }
  const { onCall, requestHandlers = {} } = options
  const connect: Connect = (service, create) => {
    const endpoint = configuration.endpoints[service]
    const client = create({ ...common, ...(endpoint && { endpoint }) })
    if (onCall !== undefined) {
      client.middlewareStack.add(reportCall(service, onCall, configuration.files), {
        step: "initialize",
        name: "reportCall",
      })
    }
    return client
  }
  const connectDynamoDb = () => {
    const client = connect("dynamodb", (config) => new DynamoDBClient(config))
    return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
  }
  return {
    dynamodb: options.dynamodb ? reporting(options.dynamodb, onCall) : connectDynamoDb(),
    kms: connect("kms", (config) => new KMSClient({ ...config, ...handledBy(requestHandlers.kms) })),
    sqs: connect("sqs", (config) => new SQSClient({ ...config, ...handledBy(requestHandlers.sqs) })),
    connect,
  }
}

function handledBy(requestHandler: RequestHandler | undefined) {
  return requestHandler && { requestHandler, signer: UNSIGNED }
}

function reporting(client: DocumentClient, onCall: AwsClientOptions["onCall"]): DocumentClient {
  if (onCall === undefined) return client
  const send = (command: DocumentCommand) => {
    onCall(callOf("dynamodb", command.constructor.name, command.input))
    return client.send(command as PutCommand)
  }
  return { ...client, send: send as DocumentClient["send"] }
}

function reportCall(service: AwsService, onCall: (call: AwsCall) => void, files: Configuration["files"]) {
  return <Args extends { readonly input: object }, Result>(
    next: (args: Args) => Promise<Result>,
    { commandName }: { readonly commandName?: string },
  ) =>
    (args: Args) => {
      onCall(callOf(service, commandName, args.input, files))
      return next(args)
    }
}

function callOf(
  service: AwsService,
  commandName: string | undefined,
  input: object,
  files: Configuration["files"] = null,
): AwsCall {
  const operation = operationOf(commandName)
  return { service, operation, resource: resourceOf(operation, input, files) }
}

function resourceOf(operation: string, input: object, files: Configuration["files"]): string | null {
  if ("Bucket" in input) return input.Bucket === files?.bucket ? "files" : null
  if ("TableName" in input) return String(input.TableName)
  if ("EncryptionContext" in input && operation === "Decrypt") return decryptedPart(input.EncryptionContext)
  return "QueueUrl" in input ? (String(input.QueueUrl).split("/").at(-1) ?? null) : null
}

/** Returns null for what is no key version. The context of a private part names no part. */
function decryptedPart(context: unknown): KeyPart | null {
  const { version, part = "private" } = contextSchema.parse(context)
  return version === undefined ? null : part
}

/** Commands whose names differ in IAM: those of the document client, of Lambda and of uploads to S3. */
const IAM_NAMES: ReadonlyMap<string, string> = new Map([
  ["Get", "GetItem"],
  ["Put", "PutItem"],
  ["Update", "UpdateItem"],
  ["Delete", "DeleteItem"],
  ["Invoke", "InvokeFunction"],
  ["CreateMultipartUpload", "PutObject"],
  ["CompleteMultipartUpload", "PutObject"],
  ["ListParts", "ListMultipartUploadParts"],
])

function operationOf(commandName: string | undefined): string {
  const name = (commandName ?? "unknown").replace(/Command$/, "")
  return IAM_NAMES.get(name) ?? name
}
