import { setTimeout as delay } from "node:timers/promises"
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTableCommand,
} from "@aws-sdk/client-dynamodb"
import type { TableDefinition } from "@sealway/platform"

const POLL_MS = 2
const MAX_POLLS = 1_000

/** Creates the tables that are missing, and resolves when all can be used. */
export async function createTables(
  client: DynamoDBClient,
  tables: readonly TableDefinition[],
): Promise<void> {
  const creating = tables.map((table) => createTable(client, table))
  // All of them, even after a failure: the database may be closed then, which must not be in the middle of one.
  await Promise.allSettled(creating)
  await Promise.all(creating)
}

async function createTable(client: DynamoDBClient, table: TableDefinition): Promise<void> {
  try {
    await client.send(
      new CreateTableCommand({
        TableName: table.name,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [
          { AttributeName: table.partitionKey, AttributeType: "S" },
          { AttributeName: table.sortKey, AttributeType: "S" },
        ],
        KeySchema: [
          { AttributeName: table.partitionKey, KeyType: "HASH" },
          { AttributeName: table.sortKey, KeyType: "RANGE" },
        ],
      }),
    )
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error
    await finishInterruptedCreation(client, table.name)
  }
  await waitUntilActive(client, table.name)
}

/**
 * dynalite makes a table in two writes. A process that was killed between them left it in creation for good; an
 * update of its billing mode is what ends that state.
 */
async function finishInterruptedCreation(client: DynamoDBClient, name: string): Promise<void> {
  if ((await tableStatus(client, name)) !== "CREATING") return
  await client.send(
    new UpdateTableCommand({
      TableName: name,
      BillingMode: "PROVISIONED",
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    }),
  )
  await waitUntilActive(client, name)
  await client.send(new UpdateTableCommand({ TableName: name, BillingMode: "PAY_PER_REQUEST" }))
}

async function waitUntilActive(client: DynamoDBClient, name: string): Promise<void> {
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    if ((await tableStatus(client, name)) === "ACTIVE") return
    await delay(POLL_MS)
  }
  throw new Error(`The table ${name} did not become active.`)
}

async function tableStatus(client: DynamoDBClient, name: string): Promise<string | undefined> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }))
  return Table?.TableStatus
}
