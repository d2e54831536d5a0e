import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb"
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
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
/** For numbers that JavaScript does not have. */
let dynamodb: DynamoDBClient

/** Conditions and updates as the product sends them. */
const CREATE = {
  ConditionExpression: "attribute_not_exists(#pk) OR #expiresAt <= :now",
  ExpressionAttributeNames: { "#pk": "pk", "#expiresAt": "expiresAt" },
}
const AT_REVISION = {
  ConditionExpression: "#revision = :revision",
  ExpressionAttributeNames: { "#revision": "revision" },
}
const ADD = {
  UpdateExpression: "SET #expiresAt = :expiresAt ADD #total :amount",
  ConditionExpression: "attribute_not_exists(#total) OR #total <= :room",
  ExpressionAttributeNames: { "#total": "values", "#expiresAt": "expiresAt" },
}
const TALLY = {
  UpdateExpression: "ADD #0 :0, #1 :1 REMOVE #2",
  ConditionExpression: "(attribute_not_exists(#3) OR #3 <= :2) AND (#4 >= :3)",
}

beforeAll(async () => {
  service = await serviceUnderTest("dynamodb")
  dynamodb = new DynamoDBClient(service.client)
  client = DynamoDBDocumentClient.from(dynamodb)
  await client.send(createTable())
  await waitUntilTableExists({ client: dynamodb, maxWaitTime: 100, minDelay: 1 }, { TableName })
}, SET_UP_TIMEOUT_MS)

function createTable() {
  return new CreateTableCommand({
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
  })
}

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

test("shows the item that a condition failed for, when requested", async () => {
  const Item = { ...key(), value: "first" }
  const condition = { ConditionExpression: "attribute_not_exists(pk)" }
  await put(Item, condition)
  const shown = await put(
    { ...Item, value: "second" },
    { ...condition, ReturnValuesOnConditionCheckFailure: "ALL_OLD" },
  ).catch((error) => error)
  expect(shown).toMatchObject({ name: "ConditionalCheckFailedException", Item: { value: { S: "first" } } })
  const hidden = await put({ ...Item, value: "second" }, condition).catch((error) => error)
  expect(hidden.Item).toBeUndefined()
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

test("refuses an update under attribute_exists of a missing item, and creates none", async () => {
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

test("creates the item when an update without condition finds none", async () => {
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

test("deletes an item, returns it, and accepts a second deletion", async () => {
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

test("refuses with ResourceInUseException to create a table that exists", async () => {
  await expect(client.send(createTable())).rejects.toMatchObject({ name: "ResourceInUseException" })
})

test("creates a record once, and again from the second on in which it expires", async () => {
  const Item = { ...key(), expiresAt: 1_000 }
  const createAt = (now: number, value: string) =>
    put({ ...Item, value }, { ...CREATE, ExpressionAttributeValues: { ":now": now } })
  await createAt(999, "first")

  await expect(createAt(999, "second")).rejects.toMatchObject({ name: "ConditionalCheckFailedException" })
  await createAt(1_000, "third")

  expect(await get(Item)).toEqual({ ...Item, value: "third" })
})

test("never creates a record again that does not expire", async () => {
  const Item = key()
  await put(Item)

  await expect(
    put(Item, { ...CREATE, ExpressionAttributeValues: { ":now": 2 ** 40 } }),
  ).rejects.toMatchObject({ name: "ConditionalCheckFailedException" })
})

test("lets one of many concurrent replacements of a revision win", async () => {
  const Key = key()
  await put({ ...Key, revision: 1 })
  const replace = (writer: number) =>
    put({ ...Key, revision: 2, writer }, { ...AT_REVISION, ExpressionAttributeValues: { ":revision": 1 } })

  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, (_, writer) => replace(writer)))

  const winners = outcomes.flatMap(({ status }, writer) => (status === "fulfilled" ? [writer] : []))
  expect(winners).toHaveLength(1)
  expect(await get(Key)).toEqual({ ...Key, revision: 2, writer: winners[0] })
})

test("removes a record of the expected revision only", async () => {
  const Item = { ...key(), revision: 2 }
  await put(Item)
  const remove = (revision: number) =>
    client.send(
      new DeleteCommand({
        TableName,
        Key: { pk: Item.pk, sk: Item.sk },
        ...AT_REVISION,
        ExpressionAttributeValues: { ":revision": revision },
      }),
    )

  await expect(remove(1)).rejects.toMatchObject({ name: "ConditionalCheckFailedException" })
  await remove(2)
  await expect(remove(2)).rejects.toMatchObject({ name: "ConditionalCheckFailedException" })
})

test("adds to a total up to its limit and no further, and returns the total", async () => {
  const Key = key()
  const add = (amount: number, limit: number) =>
    client.send(
      new UpdateCommand({
        TableName,
        Key,
        ...ADD,
        ExpressionAttributeValues: { ":amount": amount, ":room": limit - amount, ":expiresAt": 99 },
        ReturnValues: "ALL_NEW",
      }),
    )

  expect((await add(6, 10)).Attributes).toEqual({ ...Key, values: 6, expiresAt: 99 })
  await expect(add(5, 10)).rejects.toMatchObject({ name: "ConditionalCheckFailedException" })
  expect((await add(4, 10)).Attributes).toMatchObject({ values: 10 })
})

test("changes several counters in one step, while they are within their bounds", async () => {
  const Key = key()
  await put({ ...Key, one: 5, gone: 1 })
  const tally = (values: readonly number[]) =>
    client.send(
      new UpdateCommand({
        TableName,
        Key,
        ...TALLY,
        ExpressionAttributeNames: { "#0": "one", "#1": "two", "#2": "gone", "#3": "three", "#4": "one" },
        ExpressionAttributeValues: Object.fromEntries(values.map((value, index) => [`:${index}`, value])),
        ReturnValues: "ALL_NEW",
      }),
    )

  await expect(tally([1, 1, 0, 6])).rejects.toMatchObject({ name: "ConditionalCheckFailedException" })
  expect((await tally([-2, 3, 0, 5])).Attributes).toEqual({ ...Key, one: 3, two: 3 })
})

test("compares keys by their bytes, not by their looks", async () => {
  const pk = uniqueName()
  const sortKeys = ["\u0000", "\u0000\u0000", "%_", "'\"\\", "__proto__", "a\n", "e\u0301", "é", "\u{10ffff}"]
  await Promise.all(sortKeys.map((sk) => put({ pk, sk, sort: sk, constructor: 1 })))

  for (const sk of sortKeys) expect(await get({ pk, sk })).toEqual({ pk, sk, sort: sk, constructor: 1 })
  const { Items } = await client.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: "#pk = :pk",
      ExpressionAttributeNames: { "#pk": "pk" },
      ExpressionAttributeValues: { ":pk": pk },
    }),
  )
  expect(Items?.map(({ sk }) => sk)).toEqual(sortKeys)
})

test.each([
  [
    "a partition key of 2,048 bytes",
    (more: string) => ({ pk: `é${"p".repeat(2046)}${more}`, sk: uniqueName() }),
  ],
  ["a sort key of 1,024 bytes", (more: string) => ({ pk: uniqueName(), sk: `é${"s".repeat(1022)}${more}` })],
])("accepts %s and refuses a longer one with ValidationException", async (_, keyOf) => {
  await put(keyOf(""))

  await expect(put(keyOf("a"))).rejects.toMatchObject({ name: "ValidationException" })
  await expect(get(keyOf("a"))).rejects.toMatchObject({ name: "ValidationException" })
})

test("counts an item's size in bytes of UTF-8, names included, and accepts 409,600", async () => {
  const Key = key()
  const rest = 400 * 1024 - ["pk", Key.pk, "sk", Key.sk, "tëxt", "n", "1"].join("").length - 1
  const itemOf = (bytes: number) => ({
    ...Key,
    tëxt: "é".repeat(bytes >> 1) + "e".repeat(bytes % 2),
    n: true,
  })
  await put(itemOf(rest))

  await expect(put(itemOf(rest + 1))).rejects.toMatchObject({ name: "ValidationException" })
  expect(await get(Key)).toEqual(itemOf(rest))
})

test("refuses with ValidationException an update that would make an item too large, and keeps it", async () => {
  const Item = { ...key(), text: "a".repeat(399 * 1024) }
  await put(Item)
  const update = new UpdateCommand({
    TableName,
    Key: { pk: Item.pk, sk: Item.sk },
    UpdateExpression: "SET more = :more",
    ExpressionAttributeValues: { ":more": "a".repeat(1024) },
  })

  await expect(client.send(update)).rejects.toMatchObject({ name: "ValidationException" })
  expect(await get(Item)).toEqual(Item)
})

test("pages through a partition of more than 1 MB", async () => {
  const pk = uniqueName()
  const ordered = Array.from({ length: 7 }, (_, index) => `key#${index}`)
  await Promise.all(ordered.map((sk) => put({ pk, sk, text: "a".repeat(300 * 1024) })))

  const pages: string[][] = []
  let ExclusiveStartKey: Record<string, unknown> | undefined
  do {
    const page = await queryPage(pk, { ExclusiveStartKey, ScanIndexForward: false })
    pages.push(page.sortKeys)
    ExclusiveStartKey = page.LastEvaluatedKey
  } while (ExclusiveStartKey)

  expect(pages.flat()).toEqual(ordered.toReversed())
  expect(Math.max(...pages.map(({ length }) => length))).toBeLessThan(ordered.length)
})

test("says that there may be more when a page holds as many as its limit, even when there is no more", async () => {
  const pk = uniqueName()
  await putAll(pk, ["key#1", "key#2"])

  const page = await queryPage(pk, { Limit: 2 })
  expect(page).toEqual({ sortKeys: ["key#1", "key#2"], LastEvaluatedKey: { pk, sk: "key#2" } })
  expect(await queryPage(pk, { Limit: 2, ExclusiveStartKey: page.LastEvaluatedKey })).toEqual({
    sortKeys: [],
  })
  expect(await queryPage(pk, { Limit: 3 })).toEqual({ sortKeys: ["key#1", "key#2"] })
})

test.each<[string, (pk: string) => Partial<QueryCommandInput>]>([
  ["begins at another partition's key", () => ({ ExclusiveStartKey: { pk: "another", sk: "key#1" } })],
  ["begins at a key that the condition leaves out", (pk) => ({ ExclusiveStartKey: { pk, sk: "role#1" } })],
  ["begins at half of a key", () => ({ ExclusiveStartKey: { sk: "key#1" } })],
  ["has a limit of 0", () => ({ Limit: 0 })],
  ["has an empty beginning", (pk) => ({ ExpressionAttributeValues: { ":pk": pk, ":prefix": "" } })],
  ["names another attribute", () => ({ KeyConditionExpression: "pk = :pk AND begins_with(a, :prefix)" })],
  [
    "names no partition",
    () => ({
      KeyConditionExpression: "begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":prefix": "a" },
    }),
  ],
])("refuses with ValidationException a query that %s", async (_, changes) => {
  const pk = uniqueName()
  await expect(queryPage(pk, changes(pk))).rejects.toMatchObject({ name: "ValidationException" })
})

test.each([
  ["calls an unknown function", "attribute_is_fine(a)"],
  ["is not finished", "a = :a AND"],
  ["has a bracket too many", "(a = :a))"],
  ["has needless brackets", "((a = :a))"],
  ["uses a value that is not defined", "a = :b"],
  ["uses a name that is not defined", "#b = :a"],
  ["uses a reserved word as a name", "value = :a"],
  ["compares nothing", "a"],
  ["is empty", ""],
])("refuses with ValidationException a condition that %s", async (_, ConditionExpression) => {
  await expect(
    put(key(), { ConditionExpression, ExpressionAttributeValues: { ":a": 1 } }),
  ).rejects.toMatchObject({ name: "ValidationException" })
})

test.each([
  ["defines a value that it does not use", { ExpressionAttributeValues: { ":a": 1, ":b": 1 } }],
  ["defines a name that it does not use", { ExpressionAttributeNames: { "#a": "a" } }],
  [
    "compares truth by its order",
    { ConditionExpression: "a < :a", ExpressionAttributeValues: { ":a": true } },
  ],
])("refuses with ValidationException a condition that %s", async (_, changes) => {
  const condition = { ConditionExpression: "a = :a", ExpressionAttributeValues: { ":a": 1 }, ...changes }
  await expect(put(key(), condition)).rejects.toMatchObject({ name: "ValidationException" })
})

test.each([
  ["changes the key", "SET sk = :one"],
  ["changes an attribute twice", "SET a = :one REMOVE a"],
  ["has a section twice", "SET a = :one SET b = :one"],
  ["is not finished", "SET a = :one,"],
  ["adds to a text", "ADD word :one"],
  ["reads an attribute that is not there", "SET a = absent + :one"],
])("refuses with ValidationException an update that %s, and changes nothing", async (_, UpdateExpression) => {
  const Item = { ...key(), word: "a" }
  await put(Item)
  const update = new UpdateCommand({
    TableName,
    Key: { pk: Item.pk, sk: Item.sk },
    UpdateExpression,
    ExpressionAttributeValues: { ":one": 1 },
  })

  await expect(client.send(update)).rejects.toMatchObject({ name: "ValidationException" })
  expect(await get(Item)).toEqual(Item)
})

test("compares texts by their bytes, numbers by their value, and values of different types as different", async () => {
  const Item = { ...key(), words: "\uff5e", n: 10 }
  await put(Item)
  const isTrue = (ConditionExpression: string, value: unknown) =>
    put(Item, { ConditionExpression, ExpressionAttributeValues: { ":value": value } }).then(
      () => true,
      ({ name }) => (name === "ConditionalCheckFailedException" ? false : name),
    )

  for (const [condition, value, expected] of [
    ["words < :value", "\u{1f600}", true],
    ["words > :value", "\u{1f600}", false],
    ["n > :value", 9, true],
    ["n > :value", 10, false],
    ["n >= :value", 10, true],
    ["n > :value", "9", false],
    ["n = :value", "10", false],
    ["absent < :value", 1, false],
    ["absent = :value", 1, false],
    ["begins_with(sk, :value)", "s", true],
    ["begins_with(n, :value)", "1", false],
  ] as const) {
    expect([condition, value, await isTrue(condition, value)]).toEqual([condition, value, expected])
  }
})

test.each([
  ["9007199254740993", "1", "9007199254740994"],
  ["0.1", "0.2", "0.3"],
  ["1E2", "-100.0", "0"],
  ["12345678901234567890123456789012345678", "1", "12345678901234567890123456789012345679"],
  ["-0.000", "1.50", "1.5"],
])("adds numbers without rounding: %s and %s", async (first, second, sum) => {
  const { pk, sk } = key()
  const Key = { pk: { S: pk }, sk: { S: sk } }
  await dynamodb.send(new PutItemCommand({ TableName, Item: { ...Key, n: { N: first } } }))
  await dynamodb.send(
    new UpdateItemCommand({
      TableName,
      Key,
      UpdateExpression: "ADD n :n",
      ExpressionAttributeValues: { ":n": { N: second } },
    }),
  )

  const { Item } = await dynamodb.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))
  expect(Item?.n).toEqual({ N: sum })
})

test.each(["one", "", "1e126", "1e-131", "123456789012345678901234567890123456789", "0x10", "1 "])(
  "refuses the number %j with ValidationException",
  async (N) => {
    const { pk, sk } = key()
    const put = new PutItemCommand({ TableName, Item: { pk: { S: pk }, sk: { S: sk }, n: { N } } })
    await expect(dynamodb.send(put)).rejects.toMatchObject({ name: "ValidationException" })
  },
)

function key() {
  return { pk: uniqueName(), sk: "sk" }
}

async function put(Item: Record<string, unknown>, condition: Partial<PutCommandInput> = {}): Promise<void> {
  await client.send(new PutCommand({ TableName, Item, ...condition }))
}

async function putAll(pk: string, sortKeys: readonly string[]): Promise<void> {
  await Promise.all(sortKeys.map((sk) => put({ pk, sk })))
}

async function get({ pk, sk }: { pk: string; sk: string }) {
  const { Item } = await client.send(new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true }))
  return Item
}

/** Returns the sort keys of a partition that begin with `key#`. */
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
  return { sortKeys: Items.map(({ sk }) => String(sk)), ...(LastEvaluatedKey && { LastEvaluatedKey }) }
}
