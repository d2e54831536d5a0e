import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb"
import { createAwsClients, type DynamoDb, type TableDefinition } from "@sealway/platform"
import { expect, test } from "vitest"
import { EMBEDDED_REGION, randomCredentials } from "../credentials.ts"
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

test("creates tables that can be used immediately, billed on demand", async () => {
  await withClient(async (client, own) => {
    await createTables(own, [TABLE, { ...TABLE, name: "runs" }])

    for (const name of ["config", "runs"]) {
      await client.send(new PutItemCommand({ TableName: name, Item: ITEM }))
      expect((await client.send(new DescribeTableCommand({ TableName: name }))).Table).toMatchObject({
        TableStatus: "ACTIVE",
        BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
      })
    }
  })
})

test("sets the time-to-live attribute, even on tables created without one", async () => {
  await withClient(async (client, own) => {
    const timeToLive = async () =>
      (await client.send(new DescribeTimeToLiveCommand({ TableName: "config" }))).TimeToLiveDescription
    await createTables(own, [TABLE])
    expect(await timeToLive()).toEqual({ TimeToLiveStatus: "DISABLED" })

    for (let starts = 0; starts < 2; starts++) {
      await createTables(own, [{ ...TABLE, timeToLiveAttribute: "expiresAt" }])
      expect(await timeToLive()).toEqual({ TimeToLiveStatus: "ENABLED", AttributeName: "expiresAt" })
    }
  })
})

async function withClient(use: (client: DynamoDBClient, own: DynamoDb) => Promise<void>): Promise<void> {
  const credentials = randomCredentials()
  const service = await startDynamoDb(null, signatureVerifier(credentials, ["dynamodb"]), () => undefined)
  const client = new DynamoDBClient({ endpoint: service.endpoint, credentials, region: EMBEDDED_REGION })
  const { dynamodb: own, destroy } = createAwsClients(
    { region: EMBEDDED_REGION, endpoints: { dynamodb: service.endpoint } },
    { credentials },
  )
  try {
    await use(client, own)
  } finally {
    client.destroy()
    destroy()
    await service.close()
  }
}
