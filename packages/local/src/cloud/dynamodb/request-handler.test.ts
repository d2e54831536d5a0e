import { DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb"
import { expect, test } from "vitest"
import { EMBEDDED_REGION, randomCredentials } from "../credentials.ts"
import type { DynamoDb } from "./dynamodb.ts"
import { dynamoDbRequestHandler } from "./request-handler.ts"
import { keyOf, openTables, TABLE_NAME } from "./testing/tables-file.ts"

const clientOf = (dynamodb: DynamoDb, timeoutMs = 3_000) =>
  new DynamoDBClient({
    region: EMBEDDED_REGION,
    credentials: randomCredentials(),
    maxAttempts: 1,
    requestHandler: dynamoDbRequestHandler(dynamodb, timeoutMs),
  })

test("passes requests and answers without a socket", async () => {
  const client = clientOf((await openTables(null)).dynamodb)
  const Item = { ...keyOf("é\u0000"), bytes: { B: Uint8Array.of(0, 255) } }

  await client.send(new PutItemCommand({ TableName: TABLE_NAME, Item }))

  const found = await client.send(new GetItemCommand({ TableName: TABLE_NAME, Key: keyOf("é\u0000") }))
  expect(found.Item).toEqual(Item)
})

test("raises the same errors as over HTTP, with their statuses", async () => {
  const client = clientOf((await openTables(null)).dynamodb)
  const refused = client.send(
    new PutItemCommand({
      TableName: TABLE_NAME,
      Item: keyOf("a"),
      ConditionExpression: "attribute_exists(pk)",
    }),
  )

  await expect(refused).rejects.toMatchObject({
    name: "ConditionalCheckFailedException",
    $metadata: { httpStatusCode: 400 },
  })
})

test("fails with TimeoutError when no answer arrives in time", async () => {
  const never: DynamoDb = {
    answer: () => new Promise(() => undefined),
    backup: async () => undefined,
    close: async () => undefined,
  }
  const get = clientOf(never, 1).send(new GetItemCommand({ TableName: TABLE_NAME, Key: keyOf("a") }))

  await expect(get).rejects.toMatchObject({ name: "TimeoutError" })
})

test("keeps working after one of its clients was destroyed", async () => {
  const { dynamodb, get } = await openTables(null)
  const client = clientOf(dynamodb)
  client.destroy()

  await clientOf(dynamodb).send(new PutItemCommand({ TableName: TABLE_NAME, Item: keyOf("a") }))
  expect(await get("a")).toBeUndefined()
})
