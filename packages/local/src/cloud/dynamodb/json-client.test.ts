import { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb"
import { createAwsClients, type DynamoDb } from "@sealway/platform"
import fc from "fast-check"
import { expect, test } from "vitest"
import type { Reply } from "../aws-json-server.ts"
import { EMBEDDED_REGION, randomCredentials } from "../credentials.ts"
import { createInProcessHandler } from "../in-process-handler.ts"
import { CONTENT_TYPE, errorReply, internalFailure } from "./reply.ts"
import { openTables, TABLE_NAME } from "./testing/tables-file.ts"

type Answer = (target: string, body: string) => Promise<Reply>

/** Answers with plain bytes, as they arrive from the thread that writes. */
function handlerOf(answerOf: Answer) {
  const answer: Answer = async (target, sent) => {
    const { status, body } = await answerOf(target, sent)
    return { status, body: Uint8Array.from(Buffer.from(body)) }
  }
  return createInProcessHandler(
    { name: "DynamoDB", contentType: CONTENT_TYPE, maxBodyBytes: 0, failure: internalFailure(), answer },
    3_000,
  )
}

const clientOf = (answer: Answer): DynamoDb =>
  createAwsClients(
    { region: EMBEDDED_REGION, endpoints: {} },
    { requestHandlers: { dynamodb: handlerOf(answer) } },
  ).dynamodb

/** Returns a client of the SDK that is called like our own. */
function sdkClientOf(answer: Answer): DynamoDb {
  const client = new DynamoDBClient({
    region: EMBEDDED_REGION,
    credentials: randomCredentials(),
    maxAttempts: 1,
    requestHandler: handlerOf(answer),
  })
  const sdk = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
  const commands = {
    GetItem: GetCommand,
    PutItem: PutCommand,
    UpdateItem: UpdateCommand,
    DeleteItem: DeleteCommand,
    Query: QueryCommand,
  }
  const call = async (operation: keyof typeof commands, input: never) => {
    const { $metadata: _, ...output } = await sdk.send(new commands[operation](input) as GetCommand)
    return output
  }
  return { call: call as DynamoDb["call"] }
}

const key = { pk: "a", sk: "b" }
const get = { TableName: TABLE_NAME, Key: key, ConsistentRead: true }

/** The SDK takes an object with a member of the first name for an instance of a class, and loses one of the second. */
const LOST_BY_SDK: readonly string[] = ["constructor", "__proto__"]
const attributeName = fc.string({ minLength: 1 }).filter((name) => !LOST_BY_SDK.includes(name))
const { value: attribute } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    ...[fc.string(), fc.boolean(), fc.constant(null), fc.constant(undefined)],
    ...[fc.integer(), fc.integer().map((number) => number / 64)],
    fc.uint8Array().map((bytes) => new Uint8Array(Buffer.from(bytes))),
    ...[fc.array(tie("value"), { maxLength: 4 }), fc.dictionary(attributeName, tie("value"))],
  ),
}))

test("sends what the SDK's document client sends, and reads what it reads, for any attributes", async () => {
  const { dynamodb } = await openTables(null)
  const sent: unknown[] = []
  const answer: Answer = (target, body) => {
    sent.push([target, JSON.parse(body)])
    return dynamodb.answer(target, body)
  }
  const own = clientOf(answer)
  const sdk = sdkClientOf(answer)
  await fc.assert(
    fc.asyncProperty(fc.dictionary(attributeName, attribute), async (attributes) => {
      sent.length = 0
      const put = { TableName: TABLE_NAME, Item: { ...attributes, ...key } }
      await sdk.call("PutItem", put)
      await own.call("PutItem", put)
      expect(sent[1]).toEqual(sent[0])
      expect(await own.call("GetItem", get)).toEqual(await sdk.call("GetItem", get))
    }),
    { numRuns: 100 },
  )
})

test("answers each command of tables as the SDK's document client does", async () => {
  const update = {
    ...{ TableName: TABLE_NAME, Key: key, ReturnValues: "ALL_NEW" as const },
    ...{ UpdateExpression: "ADD #n :one", ExpressionAttributeNames: { "#n": "n" } },
    ExpressionAttributeValues: { ":one": 1 },
  }
  const query = {
    ...{ TableName: TABLE_NAME, Limit: 1, ConsistentRead: true, KeyConditionExpression: "pk = :pk" },
    ExpressionAttributeValues: { ":pk": "a" },
  }
  const answersOf = async (create: (answer: Answer) => DynamoDb) => {
    const { dynamodb } = await openTables(null)
    const client = create((target, body) => dynamodb.answer(target, body))
    await client.call("PutItem", { TableName: TABLE_NAME, Item: { ...key, n: 1 } })
    await client.call("PutItem", { TableName: TABLE_NAME, Item: { ...key, sk: "c" } })
    const updated = await client.call("UpdateItem", update)
    const first = await client.call("Query", query)
    const next = await client.call("Query", { ...query, ExclusiveStartKey: first.LastEvaluatedKey })
    const refused = client.call("DeleteItem", {
      ...{ TableName: TABLE_NAME, Key: key, ReturnValuesOnConditionCheckFailure: "ALL_OLD" },
      ConditionExpression: "attribute_not_exists(pk)",
    })
    const { name, message, $metadata } = await refused.catch((error) => error)
    await client.call("DeleteItem", { TableName: TABLE_NAME, Key: key })
    const gone = await client.call("GetItem", get)
    return { updated, first, next, name, message, status: $metadata.httpStatusCode, gone }
  }
  const own = await answersOf(clientOf)
  expect(own).toEqual(await answersOf(sdkClientOf))
  expect(own).toMatchObject({ name: "ConditionalCheckFailedException", status: 400 })
})

test("tells which item made a condition fail", async () => {
  const { dynamodb } = await openTables(null)
  const client = clientOf((target, body) => dynamodb.answer(target, body))
  const put = {
    ...{ TableName: TABLE_NAME, Item: { ...key, bytes: Uint8Array.of(0, 255) } },
    ...{ ConditionExpression: "attribute_not_exists(pk)" },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
  }
  await client.call("PutItem", put)
  await expect(client.call("PutItem", put)).rejects.toMatchObject({ details: { Item: put.Item } })
})

test.each([
  ["ThrottlingException", 2, 3],
  ["InternalServerError", 2, 3],
  ["ValidationException", 1, 1],
] as const)("after %s, calls as often as the SDK would", async (type, failures, calls) => {
  let called = 0
  const client = clientOf(async () => {
    called += 1
    return called <= failures ? errorReply(type, "No.") : { status: 200, body: Buffer.from("{}") }
  })
  const sent = client.call("GetItem", get)
  if (calls === 1) await expect(sent).rejects.toMatchObject({ name: type, message: "No." })
  else await expect(sent).resolves.toEqual({})
  expect(called).toBe(calls)
})

test.each([
  ["a set", new Set(["a"])],
  ["a date", new Date()],
  ["an infinite number", Number.POSITIVE_INFINITY],
])("refuses to write %s", async (_, value) => {
  const client = clientOf(async () => errorReply("ValidationException", "Called."))
  const put = client.call("PutItem", { TableName: TABLE_NAME, Item: { ...key, value } })
  await expect(put).rejects.toThrow(TypeError)
})
