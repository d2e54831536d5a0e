import { DynamoDbError, invalid, notOffered } from "../dynamodb-error.ts"
import { allowMembers, choiceMember, type RequestMembers, tableNameMember } from "../request-members.ts"
import type { TableRecord } from "../store/item-store.ts"
import { json, type Operation, requireTable } from "./operation.ts"

const CREATE_MEMBERS = ["TableName", "BillingMode", "AttributeDefinitions", "KeySchema"]

/** Tables have a partition key and a sort key, both strings, and can be used immediately. */
export const createTable: Operation = {
  writes: true,
  run(members, store, nowSeconds) {
    allowMembers(members, CREATE_MEMBERS)
    const name = tableNameMember(members)
    choiceMember(members, "BillingMode", ["PROVISIONED", "PAY_PER_REQUEST"])
    if (members.get("BillingMode") !== "PAY_PER_REQUEST") throw notOffered("provisioned throughput")
    const keys = parseKeySchema(members)
    if (store.findTable(name) !== null) {
      throw new DynamoDbError("ResourceInUseException", "Table already exists")
    }
    const table = { name, ...keys, timeToLive: null, createdAt: nowSeconds }
    store.createTable(table)
    return json({ TableDescription: describe(table) })
  },
}

export const describeTable: Operation = {
  writes: false,
  run(members, store) {
    allowMembers(members, ["TableName"])
    return json({ Table: describe(requireTable(members, store)) })
  },
}

/** Lists all tables in one answer. */
export const listTables: Operation = {
  writes: false,
  run(members, store) {
    allowMembers(members, [])
    return json({ TableNames: store.listTables().map(({ name }) => name) })
  },
}

export const deleteTable: Operation = {
  writes: true,
  run(members, store) {
    allowMembers(members, ["TableName"])
    const table = requireTable(members, store)
    store.deleteTable(table)
    return json({ TableDescription: { ...describe(table), TableStatus: "DELETING" } })
  },
}

function describe({ name, partitionKey, sortKey, createdAt }: Omit<TableRecord, "id">): object {
  return {
    TableName: name,
    TableStatus: "ACTIVE",
    CreationDateTime: createdAt,
    BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
    AttributeDefinitions: [partitionKey, sortKey].map((each) => ({
      AttributeName: each,
      AttributeType: "S",
    })),
    KeySchema: [
      { AttributeName: partitionKey, KeyType: "HASH" },
      { AttributeName: sortKey, KeyType: "RANGE" },
    ],
  }
}

function parseKeySchema(members: RequestMembers): Pick<TableRecord, "partitionKey" | "sortKey"> {
  const definitions = listMember(members, "AttributeDefinitions", ["AttributeName", "AttributeType"])
  const schema = listMember(members, "KeySchema", ["AttributeName", "KeyType"])
  const [partition, sort] = schema
  const areTexts = definitions.every(({ AttributeType }) => AttributeType === "S")
  if (
    schema.length !== 2 ||
    definitions.length !== 2 ||
    !areTexts ||
    partition === undefined ||
    sort === undefined
  ) {
    throw notOffered("other keys than a partition key and a sort key that are texts")
  }
  if (partition.KeyType !== "HASH" || sort.KeyType !== "RANGE") throw invalid("Invalid KeySchema.")
  const [partitionKey = "", sortKey = ""] = [partition.AttributeName, sort.AttributeName]
  const defined = new Set(definitions.map(({ AttributeName }) => AttributeName))
  if (partitionKey === sortKey || !defined.has(partitionKey) || !defined.has(sortKey)) {
    throw invalid(
      "One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions.",
    )
  }
  return { partitionKey, sortKey }
}

function listMember(
  members: RequestMembers,
  name: string,
  fields: readonly string[],
): readonly Readonly<Record<string, string>>[] {
  const list = members.get(name)
  if (!Array.isArray(list)) throw invalid(`The parameter '${name}' must be a list.`)
  return list.map((each: unknown) => {
    const entries = typeof each === "object" && each !== null ? Object.entries(each) : []
    const isAsExpected =
      entries.length === fields.length &&
      entries.every(([field, value]) => fields.includes(field) && typeof value === "string" && value !== "")
    if (!isAsExpected) throw invalid(`The parameter '${name}' is invalid.`)
    return Object.fromEntries(entries.map(([field, value]) => [field, String(value)]))
  })
}
