import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs"
import { LambdaClient } from "@aws-sdk/client-lambda"
import { S3Client } from "@aws-sdk/client-s3"
import type { Connect } from "@sealway/platform"

/** The AWS clients that functions need in addition to the platform's. */
export interface FunctionClients {
  readonly lambda: LambdaClient
  readonly logs: CloudWatchLogsClient
  readonly s3: S3Client
}

export function createFunctionClients(connect: Connect): FunctionClients {
  return {
    // No retries: a retried call would run the customer's code again.
    lambda: connect("lambda", (config) => new LambdaClient({ ...config, maxAttempts: 1 })),
    logs: connect("logs", (config) => new CloudWatchLogsClient(config)),
    // Only AWS itself supports bucket names as host names.
    s3: connect("s3", (config) => new S3Client({ ...config, forcePathStyle: config.endpoint !== undefined })),
  }
}
