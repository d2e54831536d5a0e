import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb"
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb"
import { afterAll, beforeAll, expect, test } from "vitest"
import {
  SET_UP_TIMEOUT_MS,
  type ServiceUnderTest,
  serviceUnderTest,
  uniqueName,
} from "./service-under-test.ts"

const TableName = uniqueName()
let service: ServiceUnderTest
let client: DynamoDBDocumentClient

beforeAll(async () => {
  service = await serviceUnderTest("dynamodb")
  const dynamodb = new DynamoDBClient(service.client)
  client = DynamoDBDocumentClient.from(dynamodb)
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "sk", AttributeType: "S" },
      ],
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
    }),
  )
  await waitUntilTableExists({ client: dynamodb, maxWaitTime: 100, minDelay: 1 }, { TableName })
}, SET_UP_TIMEOUT_MS)

afterAll(async () => {
  await client.send(new DeleteTableCommand({ TableName }))
  client.destroy()
  await service.close()
}, SET_UP_TIMEOUT_MS)

test("reads consistently every type that was written", async () => {
  const item = {
    ...key(),
    text: "é\u{1f600}",
    empty: "",
    bytes: Uint8Array.of(0, 127, 128, 255),
    number: -12.5,
    yes: true,
    nothing: null,
    list: ["a", 1, { b: [] }],
    map: { "a.b": { c: {} } },
    set: new Set(["a", "b"]),
  }
  await put(item)

  expect(await get(item)).toEqual(item)
})

test("reads nothing where nothing was written", async () => {
  expect(await get(key())).toBeUndefined()
})

test("refuses with ResourceNotFoundException when the table does not exist", async () => {
  await expect(client.send(new GetCommand({ TableName: uniqueName(), Key: key() }))).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  })
})

test.each([
  ["a part of the key is missing", { pk: "a" }],
  ["a part of the key is empty", { pk: "a", sk: "" }],
  ["a part of the key has another type", { pk: "a", sk: 1 }],
  ["the item is larger than 400 KB", { pk: "a", sk: "b", text: "c".repeat(400 * 1024) }],
])("refuses with ValidationException when %s", async (_, item) => {
  await expect(put(item)).rejects.toMatchObject({ name: "ValidationException" })
})

test("puts under attribute_not_exists once, and then refuses with ConditionalCheckFailedException", async () => {
  const Item = { ...key(), value: "first" }
  const condition = { ConditionExpression: "attribute_not_exists(pk)" }
  await put(Item, condition)

  await expect(put({ ...Item, value: "second" }, condition)).rejects.toMatchObject({
    name: "ConditionalCheckFailedException",
  })
  expect(await get(Item)).toEqual(Item)
})

test("lets one of many concurrent puts under attribute_not_exists win", async () => {
  const Key = key()

  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, (_, writer) =>
      put({ ...Key, writer }, { ConditionExpression: "attribute_not_exists(pk)" }),
    ),
  )

  const winners = outcomes.flatMap(({ status }, writer) => (status === "fulfilled" ? [writer] : []))
  expect(winners).toHaveLength(1)
  expect(await get(Key)).toMatchObject({ writer: winners[0] })
})

test("replaces the whole item when it is put again", async () => {
  const Key = key()
  await put({ ...Key, old: 1 })
  await put({ ...Key, new: 2 })

  expect(await get(Key)).toEqual({ ...Key, new: 2 })
})

test("sets, adds and removes attributes in one update, and returns the item after it", async () => {
  const Key = key()
  await put({ ...Key, version: 1, state: "old", gone: true })

  const { Attributes } = await client.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: "SET #state = :state, bytes = :bytes ADD version :one REMOVE gone",
      ConditionExpression: "version = :one AND attribute_not_exists(bytes)",
      ExpressionAttributeNames: { "#state": "state" },
      ExpressionAttributeValues: { ":state": "new", ":one": 1, ":bytes": Uint8Array.of(255) },
      ReturnValues: "ALL_NEW",
    }),
  )

  expect(Attributes).toEqual({ ...Key, version: 2, state: "new", bytes: Uint8Array.of(255) })
  expect(await get(Key)).toEqual(Attributes)
})

test("refuses an update whose condition fails with ConditionalCheckFailedException, and changes nothing", async () => {
  const Item = { ...key(), version: 2 }
  await put(Item)

  await expect(
    client.send(
      new UpdateCommand({
        TableName,
        Key: { pk: Item.pk, sk: Item.sk },
        UpdateExpression: "SET version = :next",
        ConditionExpression: "version = :expected",
        ExpressionAttributeValues: { ":next": 3, ":expected": 1 },
      }),
    ),
  ).rejects.toMatchObject({ name: "ConditionalCheckFailedException" })
  expect(await get(Item)).toEqual(Item)
})

test("refuses an update under attribute_exists of a missing item, and makes none", async () => {
  const Key = key()

  await expect(
    client.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: "SET a = :a",
        ConditionExpression: "attribute_exists(pk)",
        ExpressionAttributeValues: { ":a": 1 },
      }),
    ),
  ).rejects.toMatchObject({ name: "ConditionalCheckFailedException" })
  expect(await get(Key)).toBeUndefined()
})

test("makes the item when an update without condition finds none", async () => {
  const Key = key()

  await client.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: "SET a = if_not_exists(a, :zero) + :one",
      ExpressionAttributeValues: { ":zero": 0, ":one": 1 },
    }),
  )

  expect(await get(Key)).toEqual({ ...Key, a: 1 })
})

test("loses none of many concurrent additions", async () => {
  const Key = key()
  const update = new UpdateCommand({
    TableName,
    Key,
    UpdateExpression: "ADD additions :one",
    ExpressionAttributeValues: { ":one": 1 },
  })

  await Promise.all(Array.from({ length: 10 }, () => client.send(update)))

  expect(await get(Key)).toMatchObject({ additions: 10 })
})

test("deletes an item, returns it, and does not mind when it is gone already", async () => {
  const Item = { ...key(), a: 1 }
  const remove = new DeleteCommand({ TableName, Key: { pk: Item.pk, sk: Item.sk }, ReturnValues: "ALL_OLD" })
  await put(Item)

  expect((await client.send(remove)).Attributes).toEqual(Item)
  expect(await get(Item)).toBeUndefined()
  expect((await client.send(remove)).Attributes).toBeUndefined()
})

test("refuses a delete whose condition fails with ConditionalCheckFailedException, and keeps the item", async () => {
  const Item = { ...key(), version: 2 }
  await put(Item)

  await expect(
    client.send(
      new DeleteCommand({
        TableName,
        Key: { pk: Item.pk, sk: Item.sk },
        ConditionExpression: "version = :expected",
        ExpressionAttributeValues: { ":expected": 1 },
      }),
    ),
  ).rejects.toMatchObject({ name: "ConditionalCheckFailedException" })
  expect(await get(Item)).toEqual(Item)
})

test("queries one partition by the beginning of the sort key, in the order of its UTF-8 bytes", async () => {
  const pk = uniqueName()
  // U+FF5E sorts before U+1F600 by UTF-8 bytes, and after it by UTF-16 code units.
  const ordered = ["key#", "key#1", "key#10", "key#2", "key#\uff5e", "key#\u{1f600}"]
  await putAll(pk, [...ordered.toReversed(), "ke", "key", "key$", "role#1"])
  await putAll(uniqueName(), ["key#1"])

  expect(await query(pk)).toEqual(ordered)
  expect(await query(pk, { ScanIndexForward: false })).toEqual(ordered.toReversed())
})

test.each([true, false])(
  "pages through a query without gaps or repeats (ascending: %o)",
  async (ascending) => {
    const pk = uniqueName()
    const ordered = ["key#1", "key#2", "key#3", "key#4", "key#5"]
    await putAll(pk, [...ordered, "role#1"])

    const pages: string[][] = []
    let ExclusiveStartKey: Record<string, unknown> | undefined
    do {
      const page = await queryPage(pk, { Limit: 2, ScanIndexForward: ascending, ExclusiveStartKey })
      pages.push(page.sortKeys)
      ExclusiveStartKey = page.LastEvaluatedKey
    } while (ExclusiveStartKey)

    expect(pages.flat()).toEqual(ascending ? ordered : ordered.toReversed())
    expect(Math.max(...pages.map(({ length }) => length))).toBe(2)
  },
)

test("continues a query after a key whose item has been deleted", async () => {
  const pk = uniqueName()
  await putAll(pk, ["key#1", "key#3"])

  expect(await query(pk, { ExclusiveStartKey: { pk, sk: "key#2" } })).toEqual(["key#3"])
})

test("finds nothing in a partition without items", async () => {
  expect(await query(uniqueName())).toEqual([])
})

test("describes a new table's time to live as disabled", async () => {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }))

  expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: "DISABLED" })
})

function key() {
  return { pk: uniqueName(), sk: "sk" }
}

async function put(
  Item: Record<string, unknown>,
  condition: { ConditionExpression?: string } = {},
): Promise<void> {
  await client.send(new PutCommand({ TableName, Item, ...condition }))
}

async function putAll(pk: string, sortKeys: readonly string[]): Promise<void> {
  await Promise.all(sortKeys.map((sk) => put({ pk, sk })))
}

async function get({ pk, sk }: { pk: string; sk: string }) {
  const { Item } = await client.send(new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true }))
  return Item
}

/** The sort keys of a partition that begin with `key#`. */
async function query(pk: string, input: Partial<QueryCommandInput> = {}): Promise<string[]> {
  return (await queryPage(pk, input)).sortKeys
}

async function queryPage(pk: string, input: Partial<QueryCommandInput>) {
  const { Items = [], LastEvaluatedKey } = await client.send(
    new QueryCommand({
      TableName,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":pk": pk, ":prefix": "key#" },
      ...input,
    }),
  )
  return { sortKeys: Items.map(({ sk }) => String(sk)), LastEvaluatedKey }
}
