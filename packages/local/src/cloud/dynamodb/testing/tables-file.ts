import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Reply } from "../../aws-json-server.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { type DynamoDb, openDynamoDb } from "../dynamodb.ts"

export const TABLE_NAME = "config"

/** The fields of a request that creates the table. */
export const CREATE_TABLE = {
  TableName: TABLE_NAME,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: ["pk", "sk"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
}

export const keyOf = (sk: string) => ({ pk: { S: "a" }, sk: { S: sk } })

/** A table in a file, or in memory. */
export interface OpenTables {
  readonly dynamodb: DynamoDb
  /** Everything reported so far. */
  readonly reports: readonly string[]
  send(operation: string, members?: object): Promise<Reply>
  put(sk: string, value?: string): Promise<Reply>
  /** Returns the value; undefined when there is none. */
  get(sk: string): Promise<string | undefined>
  close(): Promise<void>
}

/** Returns a path for a database, in a folder that is removed when the test ends. */
export async function databasePath(): Promise<string> {
  const path = join(await temporaryFolder(), "tables.db")
  await writeFile(path, "")
  return path
}

/** Opens a database with one table. It is closed when the test ends. */
export async function openTables(path: string | null): Promise<OpenTables> {
  const reports: string[] = []
  const dynamodb = await openDynamoDb(path, (message) => reports.push(message))
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= dynamodb.close()
    return closing
  }
  onTestFinished(close)
  const send = (operation: string, members: object = {}) =>
    dynamodb.answer(
      `DynamoDB_20120810.${operation}`,
      JSON.stringify({ ...(operation !== "ListTables" && { TableName: TABLE_NAME }), ...members }),
    )
  await send("CreateTable", CREATE_TABLE)
  return {
    dynamodb,
    reports,
    send,
    close,
    put: (sk, value = "") => send("PutItem", { Item: { ...keyOf(sk), value: { S: value } } }),
    async get(sk) {
      const { Item } = bodyOf(await send("GetItem", { Key: keyOf(sk) }))
      return Item?.value?.S
    },
  }
}

interface Body {
  readonly Item?: { readonly value?: { readonly S?: string } }
  readonly __type?: string
}

export function bodyOf({ body }: Reply): Body {
  return JSON.parse(Buffer.from(body).toString())
}
