import { LambdaClient } from "@aws-sdk/client-lambda"
import { S3Client } from "@aws-sdk/client-s3"
import type { AwsClients } from "@sealway/platform"
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
  { connect, logs }: Pick<AwsClients, "connect" | "logs">,
  { codeBucket, ...options }: FunctionHostingOptions,
): FunctionHosting {
  const s3 = connect(
    "s3",
    // Only AWS itself supports bucket names as host names.
    (config) => new S3Client({ ...config, forcePathStyle: config.endpoint !== undefined }),
  )
  const host = createLambdaHost({
    ...options,
    // No retries: a retried call would run the customer's code again.
    lambda: connect("lambda", (config) => new LambdaClient({ ...config, maxAttempts: 1 })),
    logs,
  })
  return { host, code: createCodeStore(s3, codeBucket) }
}
