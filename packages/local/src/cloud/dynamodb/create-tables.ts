import { type DynamoDb, isAwsError, type TableDefinition } from "@sealway/platform"

/** Creates the missing tables, and resolves when all can be used. */
export async function createTables(client: DynamoDb, tables: readonly TableDefinition[]): Promise<void> {
  const creating = tables.map((table) => createTable(client, table))
  // All of them, even after a failure: the database may be closed next, which must not happen during one.
  await Promise.allSettled(creating)
  await Promise.all(creating)
}

async function createTable(client: DynamoDb, table: TableDefinition): Promise<void> {
  const { name: TableName, partitionKey, sortKey } = table
  try {
    await client.call("CreateTable", {
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        { AttributeName: partitionKey, AttributeType: "S" },
        { AttributeName: sortKey, AttributeType: "S" },
      ],
      KeySchema: [
        { AttributeName: partitionKey, KeyType: "HASH" },
        { AttributeName: sortKey, KeyType: "RANGE" },
      ],
    })
  } catch (error) {
    if (!isAwsError(error, "ResourceInUseException")) throw error
  }
  await ensureTimeToLive(client, table)
}

/** Adds the attribute to a table that was created before it had one. */
async function ensureTimeToLive(
  client: DynamoDb,
  { name: TableName, timeToLiveAttribute: AttributeName }: TableDefinition,
): Promise<void> {
  if (AttributeName === null) return
  const { TimeToLiveDescription } = await client.call("DescribeTimeToLive", { TableName })
  if (TimeToLiveDescription?.TimeToLiveStatus === "ENABLED") return
  const TimeToLiveSpecification = { Enabled: true, AttributeName }
  await client.call("UpdateTimeToLive", { TableName, TimeToLiveSpecification })
}
