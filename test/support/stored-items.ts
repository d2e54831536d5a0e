import type { EmbeddedCloud } from "@sealway/local"
import * as z from "zod"

/** An item as DynamoDB has it: each value with its type, such as `{ S: "text" }`. */
export type StoredItem = z.infer<typeof itemSchema>

export interface ItemPlace {
  readonly table: string
  readonly pk: string
  readonly sk: string
}

/** Items of the embedded DynamoDB. */
export interface StoredItems {
  find(place: ItemPlace): Promise<StoredItem | null>
  /** Lists the items of a partition. */
  list(table: string, pk: string): Promise<readonly StoredItem[]>
  put(table: string, item: StoredItem): Promise<void>
  remove(place: ItemPlace): Promise<void>
}

const itemSchema = z.record(z.string(), z.record(z.string(), z.unknown()))
const foundSchema = z.object({ Item: itemSchema.optional() })
const pageSchema = z.object({ Items: z.array(itemSchema), LastEvaluatedKey: itemSchema.optional() })

/** Asks the database itself: what a client of AWS does for a call takes several times as long. */
export function createStoredItems({ requestHandlers }: Pick<EmbeddedCloud, "requestHandlers">): StoredItems {
  async function call(operation: string, input: object): Promise<unknown> {
    const { response } = await requestHandlers.dynamodb.handle({
      headers: { "x-amz-target": `DynamoDB_20120810.${operation}` },
      body: JSON.stringify(input),
    })
    const answer = String(response.body)
    if (response.statusCode !== 200) throw new Error(`${operation}: ${answer}`)
    return JSON.parse(answer)
  }

  return {
    async find({ table, ...key }) {
      const found = await call("GetItem", { TableName: table, Key: typed(key), ConsistentRead: true })
      return foundSchema.parse(found).Item ?? null
    },
    async list(table, pk) {
      const items: StoredItem[] = []
      let after: StoredItem | undefined
      do {
        const page = await call("Query", {
          TableName: table,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: typed({ ":pk": pk }),
          ConsistentRead: true,
          ...(after && { ExclusiveStartKey: after }),
        })
        const { Items, LastEvaluatedKey } = pageSchema.parse(page)
        items.push(...Items)
        after = LastEvaluatedKey
      } while (after !== undefined)
      return items
    },
    async put(table, item) {
      await call("PutItem", { TableName: table, Item: item })
    },
    async remove({ table, ...key }) {
      await call("DeleteItem", { TableName: table, Key: typed(key) })
    },
  }
}

function typed(texts: Readonly<Record<string, string>>): StoredItem {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { S: text }]))
}
