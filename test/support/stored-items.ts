import type { DynamoDb } from "@sealway/platform"

export type StoredItem = Readonly<Record<string, unknown>>

export interface ItemPlace {
  readonly table: string
  readonly pk: string
  readonly sk: string
}

/** Items as they are stored, expired ones too. */
export interface StoredItems {
  find(place: ItemPlace): Promise<StoredItem | null>
  /** Lists the items of a partition. */
  list(table: string, pk: string): Promise<readonly StoredItem[]>
  put(table: string, item: StoredItem): Promise<void>
  remove(place: ItemPlace): Promise<void>
}

export function createStoredItems(client: DynamoDb): StoredItems {
  return {
    async find({ table, ...Key }) {
      const { Item } = await client.call("GetItem", { TableName: table, Key, ConsistentRead: true })
      return Item ?? null
    },
    async list(table, pk) {
      const items: StoredItem[] = []
      let after: Record<string, unknown> | undefined
      do {
        const page = await client.call("Query", {
          TableName: table,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": pk },
          ConsistentRead: true,
          ...(after && { ExclusiveStartKey: after }),
        })
        items.push(...(page.Items ?? []))
        after = page.LastEvaluatedKey
      } while (after !== undefined)
      return items
    },
    async put(table, item) {
      await client.call("PutItem", { TableName: table, Item: item })
    },
    async remove({ table, ...Key }) {
      await client.call("DeleteItem", { TableName: table, Key })
    },
  }
}
