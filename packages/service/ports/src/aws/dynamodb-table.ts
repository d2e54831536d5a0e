import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb"
import { createRandomIds } from "@sealway/kernel"
import { createDocumentCodec } from "../tables/document-values.ts"
import { listsOf } from "../tables/lists-of.ts"
import {
  ATTEMPT,
  type Item,
  isUnexpired,
  type PageRequest,
  type RecordKey,
  type StandingRecord,
  standingOf,
  type Table,
  type WriteStamp,
} from "../tables/table.ts"

const { encode, decode } = createDocumentCodec<Uint8Array>({
  write: (bytes) => bytes,
  read: (bytes) => bytes,
})

const NAMES = { "#pk": "pk" }

/** DynamoDB accepts no empty string for a key, though every sort key starts with it. */
function keyCondition(pk: string, prefix: string) {
  if (prefix === "") {
    return {
      KeyConditionExpression: "#pk = :pk",
      ExpressionAttributeNames: NAMES,
      ExpressionAttributeValues: encode({ ":pk": pk }),
    }
  }
  return {
    KeyConditionExpression: "#pk = :pk AND begins_with(#sk, :prefix)",
    ExpressionAttributeNames: { ...NAMES, "#sk": "sk" },
    ExpressionAttributeValues: encode({ ":pk": pk, ":prefix": prefix }),
  }
}

const ATTEMPT_BYTES = 12

const AT_REVISION = {
  ConditionExpression: "#revision = :revision",
  ExpressionAttributeNames: { "#revision": "revision" },
}

/**
 * A table in DynamoDB. The record's own module parses what items hold, not this one.
 *
 * @param wallClock epoch milliseconds
 */
export function createDynamoDbTable(
  client: DynamoDBClient,
  tableName: string,
  wallClock: () => number,
): Table {
  const nowSeconds = () => Math.floor(wallClock() / 1000)
  const isThere = (item: Item) => isUnexpired(item, wallClock())
  const nextAttempt = createRandomIds(ATTEMPT_BYTES)
  const keyed = ({ pk, sk }: RecordKey, item: Item) => ({ ...item, pk, sk })

  /**
   * Puts an item under a condition. The SDK retries a call that got no answer, although the first attempt may have
   * taken effect: the condition then fails because of its own item, which is recognised by the attempt's id.
   */
  async function putOnce(
    item: Item,
    condition: Pick<
      PutItemCommandInput,
      "ConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
    >,
    { attempt, isMade }: WriteStamp = { attempt: nextAttempt() },
  ): Promise<boolean> {
    try {
      await client.send(
        new PutItemCommand({
          TableName: tableName,
          Item: encode({ ...item, [ATTEMPT]: attempt }),
          ...condition,
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      )
      return true
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error
      const standing = standingIn(error)
      return standing?.attempt === attempt || isMade?.(standing) === true
    }
  }

  async function* query(
    pk: string,
    prefix: string,
    { limit, after }: Partial<PageRequest> = {},
  ): AsyncGenerator<readonly Item[]> {
    let from: Record<string, AttributeValue> | undefined =
      after === undefined ? undefined : encode({ pk, sk: after })
    do {
      const page = await client.send(
        new QueryCommand({
          TableName: tableName,
          ...keyCondition(pk, prefix),
          ScanIndexForward: false,
          ConsistentRead: true,
          ...(limit !== undefined && { Limit: limit }),
          ...(from && { ExclusiveStartKey: from }),
        }),
      )
      yield (page.Items ?? []).map(decode).filter(isThere)
      from = page.LastEvaluatedKey
    } while (from !== undefined)
  }

  return {
    async get({ pk, sk }) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: tableName, Key: encode({ pk, sk }), ConsistentRead: true }),
      )
      const item = Item === undefined ? null : decode(Item)
      return item !== null && isThere(item) ? item : null
    },

    ...listsOf(query),

    create: (key, item, stamp) =>
      putOnce(
        keyed(key, item),
        {
          ConditionExpression: "attribute_not_exists(#pk) OR #expiresAt <= :now",
          ExpressionAttributeNames: { ...NAMES, "#expiresAt": "expiresAt" },
          ExpressionAttributeValues: encode({ ":now": nowSeconds() }),
        },
        stamp,
      ),

    async put(key, item) {
      await client.send(new PutItemCommand({ TableName: tableName, Item: encode(keyed(key, item)) }))
    },

    replace: (key, item, revision, stamp) =>
      putOnce(
        keyed(key, { ...item, revision: revision + 1 }),
        { ...AT_REVISION, ExpressionAttributeValues: encode({ ":revision": revision }) },
        stamp,
      ),

    async remove({ pk, sk }, revision, isMade) {
      try {
        await client.send(
          new DeleteItemCommand({
            TableName: tableName,
            Key: encode({ pk, sk }),
            ...AT_REVISION,
            ExpressionAttributeValues: encode({ ":revision": revision }),
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        )
        return true
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error
        const standing = standingIn(error)
        return standing === null || isMade?.(standing) === true
      }
    },

    async add({ pk, sk }, { attribute, amount, limit, expiresAt }) {
      if (amount > limit) return null
      try {
        const { Attributes } = await client.send(
          new UpdateItemCommand({
            TableName: tableName,
            Key: encode({ pk, sk }),
            UpdateExpression: "SET #expiresAt = :expiresAt ADD #total :amount",
            ConditionExpression: "attribute_not_exists(#total) OR #total <= :room",
            ExpressionAttributeNames: { "#total": attribute, "#expiresAt": "expiresAt" },
            ExpressionAttributeValues: encode({
              ":amount": amount,
              ":room": limit - amount,
              ":expiresAt": expiresAt,
            }),
            ReturnValues: "ALL_NEW",
          }),
        )
        return Number(decode(Attributes ?? {})[attribute])
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return null
        throw error
      }
    },

    async tally({ pk, sk }, { add, remove = [], when, expiresAt }) {
      const names: Record<string, string> = {}
      const values: Record<string, number> = {}
      const nameOf = (counter: string) => {
        const name = `#${Object.keys(names).length}`
        names[name] = counter
        return name
      }
      const placeOf = (number: number) => {
        const value = `:${Object.keys(values).length}`
        values[value] = number
        return value
      }
      const added = Object.entries(add).map(([counter, by]) => `${nameOf(counter)} ${placeOf(by)}`)
      const expiry = expiresAt === undefined ? [] : [`SET ${nameOf("expiresAt")} = ${placeOf(expiresAt)}`]
      const removals = remove.length > 0 ? [`REMOVE ${remove.map(nameOf).join(", ")}`] : []
      const conditions = Object.entries(when).flatMap(([counter, { min, max }]) => {
        const name = nameOf(counter)
        const isAbsent = `attribute_not_exists(${name}) OR `
        return [
          ...(min === undefined ? [] : [`(${min <= 0 ? isAbsent : ""}${name} >= ${placeOf(min)})`]),
          ...(max === undefined ? [] : [`(${max >= 0 ? isAbsent : ""}${name} <= ${placeOf(max)})`]),
        ]
      })
      try {
        const { Attributes = {} } = await client.send(
          new UpdateItemCommand({
            TableName: tableName,
            Key: encode({ pk, sk }),
            UpdateExpression: [...expiry, `ADD ${added.join(", ")}`, ...removals].join(" "),
            ...(conditions.length > 0 && { ConditionExpression: conditions.join(" AND ") }),
            ExpressionAttributeNames: names,
            ExpressionAttributeValues: encode(values),
            ReturnValues: "ALL_NEW",
          }),
        )
        return decode(Attributes)
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return null
        throw error
      }
    },
  }
}

function standingIn({ Item: item }: ConditionalCheckFailedException): StandingRecord | null {
  return item === undefined ? null : standingOf(decode(item))
}
