import { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb"
import fc from "fast-check"
import { expect, test } from "vitest"
import type { Reply } from "../aws-json-server.ts"
import { EMBEDDED_REGION, randomCredentials } from "../credentials.ts"
import { createInProcessHandler } from "../in-process-handler.ts"
import { createDocumentClient } from "./document-client.ts"
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

function sdkClientOf(answer: Answer): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    region: EMBEDDED_REGION,
    credentials: randomCredentials(),
    maxAttempts: 1,
    requestHandler: handlerOf(answer),
  })
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
}

const key = { pk: "a", sk: "b" }
const get = () => new GetCommand({ TableName: TABLE_NAME, Key: key, ConsistentRead: true })

/** The SDK takes an object with a member of this name for an instance of a class. */
const attributeName = fc.string({ minLength: 1 }).filter((name) => name !== "constructor")
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
  const own = createDocumentClient(handlerOf(answer))
  const sdk = sdkClientOf(answer)
  await fc.assert(
    fc.asyncProperty(fc.dictionary(attributeName, attribute), async (attributes) => {
      sent.length = 0
      const put = () => new PutCommand({ TableName: TABLE_NAME, Item: { ...attributes, ...key } })
      await sdk.send(put())
      await own.send(put())
      expect(sent[1]).toEqual(sent[0])
      expect((await own.send(get())).Item).toEqual((await sdk.send(get())).Item)
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
  const answersOf = async (clientOf: (answer: Answer) => Pick<DynamoDBDocumentClient, "send">) => {
    const { dynamodb } = await openTables(null)
    const client = clientOf((target, body) => dynamodb.answer(target, body))
    await client.send(new PutCommand({ TableName: TABLE_NAME, Item: { ...key, n: 1 } }))
    await client.send(new PutCommand({ TableName: TABLE_NAME, Item: { ...key, sk: "c" } }))
    const { Attributes } = await client.send(new UpdateCommand(update))
    const { Items, LastEvaluatedKey } = await client.send(new QueryCommand(query))
    const next = await client.send(new QueryCommand({ ...query, ExclusiveStartKey: LastEvaluatedKey }))
    const refused = client.send(
      new DeleteCommand({
        ...{ TableName: TABLE_NAME, Key: key, ReturnValuesOnConditionCheckFailure: "ALL_OLD" },
        ConditionExpression: "attribute_not_exists(pk)",
      }),
    )
    const { name, message, Item } = await refused.catch((error) => error)
    await client.send(new DeleteCommand({ TableName: TABLE_NAME, Key: key }))
    const gone = await client.send(get())
    return { Attributes, Items, LastEvaluatedKey, next: next.Items, name, message, Item, gone: gone.Item }
  }
  const own = await answersOf((answer) => createDocumentClient(handlerOf(answer)) as DynamoDBDocumentClient)
  expect(own).toEqual(await answersOf(sdkClientOf))
  expect(own).toMatchObject({ name: "ConditionalCheckFailedException", Item: { n: { N: "2" } } })
})

test.each([
  ["ThrottlingException", 2, 3],
  ["InternalServerError", 2, 3],
  ["ValidationException", 1, 1],
] as const)("after %s, calls as often as the SDK would", async (type, failures, calls) => {
  let called = 0
  const client = createDocumentClient(
    handlerOf(async () => {
      called += 1
      return called <= failures ? errorReply(type, "No.") : { status: 200, body: Buffer.from("{}") }
    }),
  )
  const sent = client.send(get())
  if (calls === 1) await expect(sent).rejects.toMatchObject({ name: type, message: "No." })
  else await expect(sent).resolves.toEqual({})
  expect(called).toBe(calls)
})

test.each([
  ["a set", new Set(["a"])],
  ["a date", new Date()],
  ["an infinite number", Number.POSITIVE_INFINITY],
])("refuses to write %s", async (_, value) => {
  const client = createDocumentClient(handlerOf(async () => errorReply("ValidationException", "Called.")))
  const put = client.send(new PutCommand({ TableName: TABLE_NAME, Item: { ...key, value } }))
  await expect(put).rejects.toThrow(TypeError)
})
