import { DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb"
import { expect, test } from "vitest"
import type { AwsJsonService } from "./aws-json-server.ts"
import { EMBEDDED_REGION, randomCredentials } from "./credentials.ts"
import { internalFailure } from "./dynamodb/reply.ts"
import { keyOf, openTables, TABLE_NAME } from "./dynamodb/testing/tables-file.ts"
import { createInProcessHandler } from "./in-process-handler.ts"

const clientOf = ({ answer }: Pick<AwsJsonService, "answer">, timeoutMs = 3_000) =>
  new DynamoDBClient({
    region: EMBEDDED_REGION,
    credentials: randomCredentials(),
    maxAttempts: 1,
    requestHandler: createInProcessHandler(
      {
        ...{ name: "DynamoDB", contentType: "application/x-amz-json-1.0", maxBodyBytes: 0 },
        ...{ answer, failure: internalFailure() },
      },
      timeoutMs,
    ),
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
  const never = { answer: () => new Promise<never>(() => undefined) }
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

test("answers with the service's failure when it throws, and reveals nothing else", async () => {
  const failing = { answer: () => Promise.reject(new Error("the disk of the operator")) }
  const get = clientOf(failing).send(new GetItemCommand({ TableName: TABLE_NAME, Key: keyOf("a") }))

  await expect(get).rejects.toMatchObject({
    name: "InternalServerError",
    message: "The embedded DynamoDB failed.",
  })
})

test("tells the service when the caller aborts", async () => {
  const aborting = new AbortController()
  const waiting = {
    answer: (_target: string, _body: string, signal: AbortSignal) =>
      new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null))),
  }
  const get = clientOf(waiting).send(new GetItemCommand({ TableName: TABLE_NAME, Key: keyOf("a") }), {
    abortSignal: aborting.signal,
  })
  aborting.abort()

  await expect(get).rejects.toMatchObject({ name: expect.stringMatching(/UnknownOperation|AbortError/) })
})
