import { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { KMSClient } from "@aws-sdk/client-kms"
import type { FunctionHost } from "../ports/function-host.ts"
import type { Objects } from "../ports/objects.ts"
import type { QueueSender } from "../ports/queues.ts"
import type { Configuration, LambdaHostConfiguration } from "../stage/configuration.ts"
import { BoundedHandler } from "./bounded-handler.ts"
import type { AwsClients } from "./clients-over.ts"
import {
  type AwsClientConfig,
  type AwsPlace,
  type ConnectionOptions,
  createConnections,
} from "./connections.ts"
import { createDynamoDbTable } from "./dynamodb-table.ts"
import { createKmsKeys } from "./kms-keys.ts"
import { functionHostOnUse, objectsOnUse, queuesOnUse } from "./on-use.ts"

/** Creates the clients of a process in AWS. Call it once, where the process starts. */
export function createAwsClients(place: AwsPlace, options: ConnectionOptions = {}): AwsClients {
  const { connect, destroy } = createConnections(place, options)
  const dynamodb = connect(
    "dynamodb",
    // The host of an account is not one that every network lets through.
    (config) => new DynamoDBClient({ ...bounded(config), accountIdEndpointMode: "disabled" }),
  )
  return {
    openTable: (name, wallClock) => createDynamoDbTable(dynamodb, name, wallClock),
    keys: createKmsKeys(connect("kms", (config) => new KMSClient(bounded(config)))),
    openQueues: (urls) => queuesOnUse(() => openSqsQueues(urls)),
    openObjects: (bucket, wallClock) => objectsOnUse(() => openS3Objects(bucket, wallClock)),
    openFunctionHost(lambda) {
      if (lambda === null) throw new Error("The configuration does not say how to deploy functions")
      return functionHostOnUse(() => openLambdaHost(lambda))
    },
    connect,
    destroy,
  }

  async function openSqsQueues(urls: Configuration["queueUrls"]): Promise<QueueSender> {
    const { createSqsClient, createSqsQueues } = await import("./sqs-queues.ts")
    return createSqsQueues(
      connect("sqs", (config) => createSqsClient(bounded(config))),
      urls,
    )
  }

  async function openLambdaHost(configuration: LambdaHostConfiguration): Promise<FunctionHost> {
    return (await import("./lambda-host.ts")).createLambdaHost(connect, configuration)
  }

  async function openS3Objects(bucket: string, wallClock: () => number): Promise<Objects> {
    const { createS3Client, createS3Objects } = await import("./s3-objects.ts")
    const s3 = connect("s3", (config) => createS3Client(bounded(config, OBJECT_FACTOR)))
    return createS3Objects(s3, bucket, wallClock)
  }
}

/** An object, such as the code of a function, takes longer than a record: 15 seconds with the default timeout. */
const OBJECT_FACTOR = 5

/** @param factor how many times as long the rest of an answer may take as its head */
const bounded = ({ requestHandler, ...config }: AwsClientConfig, factor = 1) => ({
  ...config,
  requestHandler: new BoundedHandler(requestHandler, factor * requestHandler.requestTimeout),
})
