import { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { KMSClient } from "@aws-sdk/client-kms"
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb"
import type { Configuration } from "./configuration.ts"

export interface AwsClients {
  readonly dynamodb: DynamoDBDocumentClient
  readonly kms: KMSClient
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
  readonly service: "dynamodb" | "kms"
  readonly operation: string
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
  const { dynamodb: dynamodbEndpoint, kms: kmsEndpoint } = configuration.endpoints
  const dynamodb = new DynamoDBClient({ ...common, ...(dynamodbEndpoint && { endpoint: dynamodbEndpoint }) })
  const kms = new KMSClient({ ...common, ...(kmsEndpoint && { endpoint: kmsEndpoint }) })
  const { onCall } = options
  if (onCall !== undefined) {
    const place = { step: "initialize", name: "reportCall" } as const
    dynamodb.middlewareStack.add(reportCall("dynamodb", onCall), place)
    kms.middlewareStack.add(reportCall("kms", onCall), place)
  }
  return {
    dynamodb: DynamoDBDocumentClient.from(dynamodb, { marshallOptions: { removeUndefinedValues: true } }),
    kms,
  }
}

function reportCall(service: AwsCall["service"], onCall: (call: AwsCall) => void) {
  return <Args, Result>(
    next: (args: Args) => Promise<Result>,
    { commandName }: { readonly commandName?: string },
  ) =>
    (args: Args) => {
      onCall({ service, operation: operationOf(commandName) })
      return next(args)
    }
}

/** `GetItemCommand` and the document client's `GetCommand` are both IAM's `GetItem`. */
function operationOf(commandName: string | undefined): string {
  const name = (commandName ?? "unknown").replace(/Command$/, "")
  return ["Get", "Put", "Update", "Delete"].includes(name) ? `${name}Item` : name
}
