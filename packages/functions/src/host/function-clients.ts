import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs"
import { LambdaClient } from "@aws-sdk/client-lambda"
import { S3Client } from "@aws-sdk/client-s3"
import type { Connect } from "@sealway/platform"

/** The AWS clients that functions need beyond the platform's. */
export interface FunctionClients {
  readonly lambda: LambdaClient
  readonly logs: CloudWatchLogsClient
  readonly s3: S3Client
}

export function createFunctionClients(connect: Connect): FunctionClients {
  return {
    // A call that is sent again runs the customer's code again.
    lambda: connect("lambda", (config) => new LambdaClient({ ...config, maxAttempts: 1 })),
    logs: connect("logs", (config) => new CloudWatchLogsClient(config)),
    // Buckets are names of hosts on AWS, and nowhere else.
    s3: connect("s3", (config) => new S3Client({ ...config, forcePathStyle: config.endpoint !== undefined })),
  }
}
