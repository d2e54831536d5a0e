import { Agent } from "node:http"
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs"
import { LambdaClient } from "@aws-sdk/client-lambda"
import { S3Client } from "@aws-sdk/client-s3"
import type { AwsClientConfig, AwsClients } from "@sealway/platform"
import { type CodeStore, createCodeStore } from "./code-store.ts"
import type { FunctionHost } from "./host.ts"
import { createLambdaHost, type LambdaHostOptions } from "./lambda-host.ts"

export interface FunctionHostingOptions extends Omit<LambdaHostOptions, "lambda" | "logs"> {
  /** The bucket for the source of functions. */
  readonly codeBucket: string
}

/** Where functions run, and where their source is kept. */
export interface FunctionHosting {
  readonly host: FunctionHost
  readonly code: CodeStore
}

/** Creates the clients, and what functions use of them. */
export function createAwsHosting(
  { connect }: Pick<AwsClients, "connect">,
  { codeBucket, ...options }: FunctionHostingOptions,
): FunctionHosting {
  const s3 = connect(
    "s3",
    // Only AWS itself supports bucket names as host names.
    (config) => new S3Client({ ...config, forcePathStyle: config.endpoint !== undefined }),
  )
  const host = createLambdaHost({
    ...options,
    lambda: connect("lambda", createLambdaClient),
    logs: connect("logs", (config) => new CloudWatchLogsClient(config)),
  })
  return { host, code: createCodeStore(s3, codeBucket) }
}

function createLambdaClient({ requestHandler, ...config }: AwsClientConfig): LambdaClient {
  return new LambdaClient({
    ...config,
    // No retries: a retried call would run the customer's code again.
    maxAttempts: 1,
    // Only the embedded Lambda is called without TLS. The SDK would have 50 connections, and further runs fail while all are
    // in use; and each connection that is kept has its first result in memory, twice.
    requestHandler: { ...requestHandler, httpAgent: new Agent() },
  })
}
