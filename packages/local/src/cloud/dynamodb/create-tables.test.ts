import { DescribeTableCommand, DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb"
import type { TableDefinition } from "@sealway/platform"
import { Level } from "level"
import { expect, test } from "vitest"
import { EMBEDDED_REGION, randomCredentials } from "../credentials.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { signatureVerifier } from "../verify-signature.ts"
import { createTables } from "./create-tables.ts"
import { startDynamoDb } from "./start-dynamodb.ts"

const TABLE: TableDefinition = {
  name: "config",
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: null,
}
const ITEM = { pk: { S: "a" }, sk: { S: "b" } }

test("makes tables that can be used at once, billed on demand", async () => {
  await withClient(null, async (client) => {
    await createTables(client, [TABLE, { ...TABLE, name: "runs" }])

    for (const name of ["config", "runs"]) {
      await client.send(new PutItemCommand({ TableName: name, Item: ITEM }))
      expect((await client.send(new DescribeTableCommand({ TableName: name }))).Table).toMatchObject({
        TableStatus: "ACTIVE",
        BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
      })
    }
  })
})

test("finishes a table whose creation was interrupted by the end of the process", async () => {
  const folder = await temporaryFolder()
  await withClient(folder, (client) => createTables(client, [TABLE]))
  const database = new Level<string, Record<string, unknown>>(folder, { valueEncoding: "json" })
  const record = await database.get("table~config")
  await database.put("table~config", { ...record, TableStatus: "CREATING" })
  await database.close()

  await withClient(folder, async (client) => {
    await createTables(client, [TABLE])

    await client.send(new PutItemCommand({ TableName: "config", Item: ITEM }))
    expect((await client.send(new DescribeTableCommand({ TableName: "config" }))).Table).toMatchObject({
      TableStatus: "ACTIVE",
      BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
    })
  })
})

async function withClient(
  folder: string | null,
  use: (client: DynamoDBClient) => Promise<void>,
): Promise<void> {
  const credentials = randomCredentials()
  const service = await startDynamoDb(folder, signatureVerifier(credentials, ["dynamodb"]))
  const client = new DynamoDBClient({ endpoint: service.endpoint, credentials, region: EMBEDDED_REGION })
  try {
    await use(client)
  } finally {
    client.destroy()
    await service.close()
  }
}
