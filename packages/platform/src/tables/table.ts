import type { PutCommandInput } from "@aws-sdk/lib-dynamodb"
import { createRandomIds } from "@sealway/kernel"
import { type AwsServiceError, isAwsError } from "../aws/service-error.ts"
import type { DynamoDb } from "../stage/aws-clients.ts"

/** The key of a record: partition key and sort key. */
export interface RecordKey {
  readonly pk: string
  readonly sk: string
}

/**
 * A stored record. Three attributes have a meaning for the table: `revision`, a number that each change of the record
 * increases by one; `expiresAt`, epoch seconds after which the record counts as gone; and `writeAttempt`, which only
 * the table uses.
 */
export type Item = Readonly<Record<string, unknown>>

export interface PageRequest {
  readonly limit: number
  /** The sort key after which the page starts; absent for the first page. */
  readonly after?: string | undefined
}

export interface Page {
  readonly items: readonly Item[]
  readonly hasMore: boolean
}

export interface Increment {
  /** The attribute that holds the total. */
  readonly attribute: string
  readonly amount: number
  /** The highest total allowed. */
  readonly limit: number
  /** Epoch seconds. */
  readonly expiresAt: number
}

/** A change to several counters of one record. An absent counter counts as 0. */
export interface Tally {
  /** How much each counter grows; negative to count down. */
  readonly add: Readonly<Record<string, number>>
  /** Counters to remove. */
  readonly remove?: readonly string[]
  /** The required values before the change, both bounds included. Default: any. */
  readonly when: Readonly<Record<string, { readonly min?: number; readonly max?: number }>>
  /** Epoch seconds; only for counters of which old ones count for nothing. Default: the record does not expire. */
  readonly expiresAt?: number
}

/** The existing record that prevents a conditional write. */
export interface StandingRecord {
  /** The `WriteStamp.attempt` that it was written with, or another text; null when it has none. */
  readonly attempt: string | null
  readonly id: string | null
  readonly revision: number | null
}

/** Distinguishes the writes of a repeated request from those of others. */
export interface WriteStamp {
  /** Written with the record, to recognise whose write it was. */
  readonly attempt: string
  /**
   * Whether the write counts as made although its condition fails, because an earlier attempt of the same request made
   * it. Default: only when the record has exactly this `attempt`.
   *
   * @param standing null when there is no record
   */
  readonly isMade?: (standing: StandingRecord | null) => boolean
}

/** Reads and single-item conditional writes on one table. Every read is strongly consistent. */
export interface Table {
  get(key: RecordKey): Promise<Item | null>
  /** Returns all records of a partition whose sort key starts with a prefix, in descending order of sort key. */
  list(pk: string, prefix: string): Promise<readonly Item[]>
  /** Returns a page of what `list` finds. */
  page(pk: string, prefix: string, request: PageRequest): Promise<Page>
  /** Writes a record unless it exists. Returns false, and changes nothing, when it does. */
  create(key: RecordKey, item: Item, stamp?: WriteStamp): Promise<boolean>
  /** Writes a record, overwriting any existing one. */
  put(key: RecordKey, item: Item): Promise<void>
  /** Writes a record over this revision, as the next one. Returns false when this revision no longer exists. */
  replace(key: RecordKey, item: Item, revision: number, stamp?: WriteStamp): Promise<boolean>
  /**
   * Removes the record at this revision. Returns false when this revision no longer exists.
   *
   * @param isMade see `WriteStamp`. Default: never
   */
  remove(key: RecordKey, revision: number, isMade?: WriteStamp["isMade"]): Promise<boolean>
  /** Adds to a counter atomically. @returns the total, or null when it would exceed the limit; nothing is added then */
  add(key: RecordKey, increment: Increment): Promise<number | null>
  /**
   * Changes counters atomically. Creates the record if there is none.
   *
   * @returns the record afterwards, or null when a counter is not within its required values; nothing is changed then
   */
  tally(key: RecordKey, change: Tally): Promise<Item | null>
}

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

/** Identifies the call that wrote an item, so that its repetition recognises it. */
export const ATTEMPT = "writeAttempt"
const ATTEMPT_BYTES = 12

const AT_REVISION = {
  ConditionExpression: "#revision = :revision",
  ExpressionAttributeNames: { "#revision": "revision" },
}

/**
 * Creates a table of a deployment. The record's own module parses what items hold, not this one.
 *
 * @param wallClock epoch milliseconds
 */
export function createTable(client: DynamoDb, tableName: string, wallClock: () => number): Table {
  const nowSeconds = () => Math.floor(wallClock() / 1000)
  const isThere = (item: Item) => typeof item.expiresAt !== "number" || item.expiresAt > nowSeconds()
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
      const standing = standingOf(error)
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

    async list(pk, prefix) {
      const items: Item[] = []
      for await (const found of query(pk, prefix)) items.push(...found)
      return items
    },

    async page(pk, prefix, { limit, after }) {
      const items: Item[] = []
      for await (const found of query(pk, prefix, { limit: limit + 1, after })) {
        items.push(...found)
        if (items.length > limit) break
      }
      return { items: items.slice(0, limit), hasMore: items.length > limit }
    },

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
        return isMade?.(standingOf(error)) === true
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
          ExpressionAttributeValues: {
            ":amount": amount,
            ":room": limit - amount,
            ":expiresAt": expiresAt,
          },
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

function standingOf({ details: { Item: item } }: AwsServiceError): StandingRecord | null {
  if (typeof item !== "object" || item === null) return null
  const { [ATTEMPT]: attempt, id, revision } = item as Item
  return {
    attempt: typeof attempt === "string" ? attempt : null,
    id: typeof id === "string" ? id : null,
    revision: typeof revision === "number" ? revision : null,
  }
}
