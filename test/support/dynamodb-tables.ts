import {
  CreateTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb"
import type { TableDefinition } from "@sealway/ports"

const CREATION_S = 60

/** Creates tables in a DynamoDB, billed on demand. Nothing in them expires there. */
export async function createDynamoDbTables(
  config: DynamoDBClientConfig,
  tables: readonly TableDefinition[],
): Promise<void> {
  const client = new DynamoDBClient(config)
  for (const { name: TableName, partitionKey, sortKey } of tables) {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [partitionKey, sortKey].map((AttributeName) => ({
          AttributeName,
          AttributeType: "S",
        })),
        KeySchema: [
          { AttributeName: partitionKey, KeyType: "HASH" },
          { AttributeName: sortKey, KeyType: "RANGE" },
        ],
      }),
    )
    await waitUntilTableExists({ client, maxWaitTime: CREATION_S, minDelay: 1 }, { TableName })
  }
  client.destroy()
}
