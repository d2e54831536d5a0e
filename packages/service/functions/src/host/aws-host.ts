import { Agent } from "node:http"
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs"
import { LambdaClient } from "@aws-sdk/client-lambda"
import type { AwsClientConfig, Connect } from "@sealway/ports"
import type { FunctionHost } from "./host.ts"
import { createLambdaHost, type LambdaHostOptions } from "./lambda-host.ts"

export type AwsHostOptions = Omit<LambdaHostOptions, "lambda" | "logs">

/** Creates a host with its clients. */
export function createAwsHost(connect: Connect, options: AwsHostOptions): FunctionHost {
  return createLambdaHost({
    ...options,
    lambda: connect("lambda", createLambdaClient),
    logs: connect("logs", (config) => new CloudWatchLogsClient(config)),
  })
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
