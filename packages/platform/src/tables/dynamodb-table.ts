import type { PutCommandInput } from "@aws-sdk/lib-dynamodb"
import { createRandomIds } from "@sealway/kernel"
import type { JsonClient } from "../aws/json-client.ts"
import type { DynamoDbOperations } from "../aws/operations.ts"
import { type AwsServiceError, isAwsError } from "../aws/service-error.ts"
import { listsOf } from "./lists-of.ts"
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
} from "./table.ts"

const NAMES = { "#pk": "pk" }

/** DynamoDB accepts no empty string for a key, though every sort key starts with it. */
function keyCondition(pk: string, prefix: string) {
  if (prefix === "") {
    return {
      KeyConditionExpression: "#pk = :pk",
      ExpressionAttributeNames: NAMES,
      ExpressionAttributeValues: { ":pk": pk },
    }
  }
  return {
    KeyConditionExpression: "#pk = :pk AND begins_with(#sk, :prefix)",
    ExpressionAttributeNames: { ...NAMES, "#sk": "sk" },
    ExpressionAttributeValues: { ":pk": pk, ":prefix": prefix },
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
  client: JsonClient<DynamoDbOperations>,
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
      PutCommandInput,
      "ConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
    >,
    { attempt, isMade }: WriteStamp = { attempt: nextAttempt() },
  ): Promise<boolean> {
    try {
      await client.call("PutItem", {
        TableName: tableName,
        Item: { ...item, [ATTEMPT]: attempt },
        ...condition,
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      })
      return true
    } catch (error) {
      if (!isConditionFailure(error)) throw error
      const standing = standingIn(error)
      return standing?.attempt === attempt || isMade?.(standing) === true
    }
  }

  async function* query(
    pk: string,
    prefix: string,
    { limit, after }: Partial<PageRequest> = {},
  ): AsyncGenerator<readonly Item[]> {
    let from: Record<string, unknown> | undefined = after === undefined ? undefined : { pk, sk: after }
    do {
      const page = await client.call("Query", {
        TableName: tableName,
        ...keyCondition(pk, prefix),
        ScanIndexForward: false,
        ConsistentRead: true,
        ...(limit !== undefined && { Limit: limit }),
        ...(from && { ExclusiveStartKey: from }),
      })
      yield (page.Items ?? []).filter(isThere)
      from = page.LastEvaluatedKey
    } while (from !== undefined)
  }

  return {
    async get({ pk, sk }) {
      const { Item } = await client.call("GetItem", {
        TableName: tableName,
        Key: { pk, sk },
        ConsistentRead: true,
      })
      return Item !== undefined && isThere(Item) ? Item : null
    },

    ...listsOf(query),

    create: (key, item, stamp) =>
      putOnce(
        keyed(key, item),
        {
          ConditionExpression: "attribute_not_exists(#pk) OR #expiresAt <= :now",
          ExpressionAttributeNames: { ...NAMES, "#expiresAt": "expiresAt" },
          ExpressionAttributeValues: { ":now": nowSeconds() },
        },
        stamp,
      ),

    async put(key, item) {
      await client.call("PutItem", { TableName: tableName, Item: keyed(key, item) })
    },

    replace: (key, item, revision, stamp) =>
      putOnce(
        keyed(key, { ...item, revision: revision + 1 }),
        { ...AT_REVISION, ExpressionAttributeValues: { ":revision": revision } },
        stamp,
      ),

    async remove({ pk, sk }, revision, isMade) {
      try {
        await client.call("DeleteItem", {
          TableName: tableName,
          Key: { pk, sk },
          ...AT_REVISION,
          ExpressionAttributeValues: { ":revision": revision },
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        })
        return true
      } catch (error) {
        if (!isConditionFailure(error)) throw error
        const standing = standingIn(error)
        return standing === null || isMade?.(standing) === true
      }
    },

    async add({ pk, sk }, { attribute, amount, limit, expiresAt }) {
      if (amount > limit) return null
      try {
        const { Attributes } = await client.call("UpdateItem", {
          TableName: tableName,
          Key: { pk, sk },
          UpdateExpression: "SET #expiresAt = :expiresAt ADD #total :amount",
          ConditionExpression: "attribute_not_exists(#total) OR #total <= :room",
          ExpressionAttributeNames: { "#total": attribute, "#expiresAt": "expiresAt" },
          ExpressionAttributeValues: { ":amount": amount, ":room": limit - amount, ":expiresAt": expiresAt },
          ReturnValues: "ALL_NEW",
        })
        return Number(Attributes?.[attribute])
      } catch (error) {
        if (isConditionFailure(error)) return null
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
        const { Attributes = {} } = await client.call("UpdateItem", {
          TableName: tableName,
          Key: { pk, sk },
          UpdateExpression: [...expiry, `ADD ${added.join(", ")}`, ...removals].join(" "),
          ...(conditions.length > 0 && { ConditionExpression: conditions.join(" AND ") }),
          ExpressionAttributeNames: names,
          ExpressionAttributeValues: values,
          ReturnValues: "ALL_NEW",
        })
        return Attributes
      } catch (error) {
        if (isConditionFailure(error)) return null
        throw error
      }
    },
  }
}

function isConditionFailure(error: unknown): error is AwsServiceError {
  return isAwsError(error, "ConditionalCheckFailedException")
}

function standingIn({ details: { Item: item } }: AwsServiceError): StandingRecord | null {
  return typeof item === "object" && item !== null ? standingOf(item as Item) : null
}
