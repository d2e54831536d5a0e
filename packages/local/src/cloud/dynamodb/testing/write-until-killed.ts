/**
 * Writes to a database with 32 writers, half of them by requests and half by the port of tables, and prints the sort key
 * of each answered write, one per line:
 *
 *     node write-until-killed.ts PATH
 */
import { openDynamoDb } from "../dynamodb.ts"
import { createDatabaseTable } from "../table/database-table.ts"

const [path = ""] = process.argv.slice(2)
const dynamodb = await openDynamoDb(path, (message) => process.stderr.write(`${message}\n`))
const send = (operation: string, members: object) =>
  dynamodb.answer(`DynamoDB_20120810.${operation}`, JSON.stringify({ TableName: "config", ...members }))

await send("CreateTable", {
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: ["pk", "sk"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
})
const table = createDatabaseTable(dynamodb.database, "config", Date.now)
await Promise.all(
  Array.from({ length: 32 }, async (_, writer) => {
    for (let count = 0; ; count++) {
      const sk = `${writer}-${count}`
      const isAnswered = writer % 2 === 0 ? await put(sk) : await request(sk)
      if (isAnswered) process.stdout.write(`${sk}\n`)
    }
  }),
)

async function request(sk: string): Promise<boolean> {
  const { status } = await send("PutItem", { Item: { pk: { S: "a" }, sk: { S: sk }, value: { S: sk } } })
  return status === 200
}

async function put(sk: string): Promise<boolean> {
  await table.put({ pk: "a", sk }, { value: sk })
  return true
}
