import { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { KMSClient } from "@aws-sdk/client-kms"
import { SQSClient } from "@aws-sdk/client-sqs"
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb"
import type { Configuration } from "./configuration.ts"

export interface AwsClients {
  readonly dynamodb: DynamoDBDocumentClient
  readonly kms: KMSClient
  readonly sqs: SQSClient
}

export interface AwsClientOptions {
  /** Default: the SDK's own chain (a Lambda's role). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /**
   * How long one attempt of a call may take; there are three. Default: 3,000, so that a stalled service ends as a 503
   * well before the request's own limit.
   */
  readonly requestTimeoutMs?: number
  /** Told of each API call before it is sent, retries counted once: for counting and for checking grants. */
  readonly onCall?: (call: AwsCall) => void
}

/** An AWS API call, named as IAM names it. */
export interface AwsCall {
  readonly service: "dynamodb" | "kms" | "sqs"
  readonly operation: string
  /** The table or queue; null where it is for the stage's one key. */
  readonly resource: string | null
}

const CONNECTION_TIMEOUT_MS = 1_000
const REQUEST_TIMEOUT_MS = 3_000

/** Builds the AWS clients, once, where a process starts. */
export function createAwsClients(configuration: Configuration, options: AwsClientOptions = {}): AwsClients {
  const common = {
    region: configuration.region,
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      // The SDK would only warn of the latter.
      throwOnRequestTimeout: true,
    },
    ...(options.credentials && { credentials: options.credentials }),
  }
  const at = (service: AwsCall["service"]) => {
    const endpoint = configuration.endpoints[service]
    return { ...common, ...(endpoint && { endpoint }) }
  }
  const dynamodb = new DynamoDBClient(at("dynamodb"))
  const kms = new KMSClient(at("kms"))
  const sqs = new SQSClient(at("sqs"))
  const { onCall } = options
  if (onCall !== undefined) {
    const place = { step: "initialize", name: "reportCall" } as const
    dynamodb.middlewareStack.add(reportCall("dynamodb", onCall), place)
    kms.middlewareStack.add(reportCall("kms", onCall), place)
    sqs.middlewareStack.add(reportCall("sqs", onCall), place)
  }
  return {
    dynamodb: DynamoDBDocumentClient.from(dynamodb, { marshallOptions: { removeUndefinedValues: true } }),
    kms,
    sqs,
  }
}

function reportCall(service: AwsCall["service"], onCall: (call: AwsCall) => void) {
  return <Args extends { readonly input: object }, Result>(
    next: (args: Args) => Promise<Result>,
    { commandName }: { readonly commandName?: string },
  ) =>
    (args: Args) => {
      onCall({ service, operation: operationOf(commandName), resource: resourceOf(args.input) })
      return next(args)
    }
}

function resourceOf(input: object): string | null {
  if ("TableName" in input) return String(input.TableName)
  return "QueueUrl" in input ? (String(input.QueueUrl).split("/").at(-1) ?? null) : null
}

/** `GetItemCommand` and the document client's `GetCommand` are both IAM's `GetItem`. */
function operationOf(commandName: string | undefined): string {
  const name = (commandName ?? "unknown").replace(/Command$/, "")
  return ["Get", "Put", "Update", "Delete"].includes(name) ? `${name}Item` : name
}
