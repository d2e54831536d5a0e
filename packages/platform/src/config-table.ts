import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb"
import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb"
import { CONFIG_TABLE } from "./tables.ts"

/** A record's place: partition key and sort key. */
export interface RecordKey {
  readonly pk: string
  readonly sk: string
}

export type Item = Readonly<Record<string, unknown>>

/** Reads and single-item conditional writes on one table; every read is strongly consistent. */
export interface ConfigTable {
  get(key: RecordKey): Promise<Item | null>
  /** All records of a partition whose sort key starts with a prefix, in descending order of sort key. */
  list(pk: string, prefix: string): Promise<readonly Item[]>
  /** Writes a record where there is none. False: there is one already, and it is as it was. */
  create(key: RecordKey, item: Item): Promise<boolean>
}

/** The `config` table of a deployment. What items hold is parsed by the record's own module, not here. */
export function createConfigTable(client: DynamoDBDocumentClient, tableName: string): ConfigTable {
  const { partitionKey, sortKey } = CONFIG_TABLE
  return {
    async get({ pk, sk }) {
      const { Item } = await client.send(
        new GetCommand({
          TableName: tableName,
          Key: { [partitionKey]: pk, [sortKey]: sk },
          ConsistentRead: true,
        }),
      )
      return Item ?? null
    },

    async list(pk, prefix) {
      const items: Item[] = []
      let from: Record<string, unknown> | undefined
      do {
        const page = await client.send(
          new QueryCommand({
            TableName: tableName,
            KeyConditionExpression: "#pk = :pk AND begins_with(#sk, :prefix)",
            ExpressionAttributeNames: { "#pk": partitionKey, "#sk": sortKey },
            ExpressionAttributeValues: { ":pk": pk, ":prefix": prefix },
            ScanIndexForward: false,
            ConsistentRead: true,
            ...(from && { ExclusiveStartKey: from }),
          }),
        )
        items.push(...(page.Items ?? []))
        from = page.LastEvaluatedKey
      } while (from !== undefined)
      return items
    },

    async create({ pk, sk }, item) {
      try {
        await client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...item, [partitionKey]: pk, [sortKey]: sk },
            ConditionExpression: "attribute_not_exists(#pk)",
            ExpressionAttributeNames: { "#pk": partitionKey },
          }),
        )
        return true
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false
        throw error
      }
    },
  }
}
