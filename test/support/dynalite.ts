import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { type OpenTable, TABLES } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"
import dynalite from "dynalite"
import * as z from "zod"
import { createDynamoDbTables } from "./dynamodb-tables.ts"

/** The tables of a stage in a DynamoDB that others wrote, in memory. */
export interface DynaliteTables {
  readonly endpoint: string
  /** Opens a table as in AWS. */
  readonly openTable: OpenTable
  /** Returns how many requests arrived. */
  readonly received: () => number
  /** Carries out the next request, and closes its connection without an answer. */
  loseNextAnswer(): void
  close(): Promise<void>
}

const CONNECTION = {
  region: "us-east-1",
  credentials: { accessKeyId: "dynalite", secretAccessKey: "dynalite" },
}

/** The part of a conditional write by which the record that stands in its way is found. */
const conditionalSchema = z.object({
  TableName: z.string(),
  ReturnValuesOnConditionCheckFailure: z.literal("ALL_OLD"),
  Item: z.object({ pk: z.unknown(), sk: z.unknown() }).optional(),
  Key: z.unknown().optional(),
})

export async function startDynalite(): Promise<DynaliteTables> {
  const database = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
  const databaseUrl = await listening(database)
  let received = 0
  let isToLose = false

  async function send(headers: Readonly<Record<string, string>>, body: string): Promise<[number, string]> {
    const answer = await fetch(databaseUrl, { method: "POST", headers, body })
    return [answer.status, await answer.text()]
  }

  /** dynalite does not say which record made a condition fail. */
  async function withStanding(headers: Readonly<Record<string, string>>, body: string, answer: string) {
    const { data: write } = conditionalSchema.safeParse(JSON.parse(body))
    if (write === undefined || !answer.includes("ConditionalCheckFailedException")) return answer
    const key = write.Item === undefined ? write.Key : { pk: write.Item.pk, sk: write.Item.sk }
    const [, found] = await send(
      { ...headers, "x-amz-target": "DynamoDB_20120810.GetItem" },
      JSON.stringify({ TableName: write.TableName, Key: key, ConsistentRead: true }),
    )
    return JSON.stringify({ ...JSON.parse(answer), ...JSON.parse(found) })
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    received++
    const isLost = isToLose
    isToLose = false
    const headers = {
      authorization: String(request.headers.authorization),
      "x-amz-date": String(request.headers["x-amz-date"]),
      "x-amz-target": String(request.headers["x-amz-target"]),
      "content-type": "application/x-amz-json-1.0",
    }
    const body = await text(request)
    const [status, answered] = await send(headers, body)
    if (isLost) {
      response.destroy()
      return
    }
    const shown = await withStanding(headers, body, answered)
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(shown)
  }

  const front = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error))
  })
  const endpoint = await listening(front)
  await createDynamoDbTables({ ...CONNECTION, endpoint: databaseUrl }, TABLES)
  const { region, credentials } = CONNECTION
  const clients = createAwsClients({ region, endpoints: { dynamodb: endpoint } }, { credentials })
  return {
    endpoint,
    openTable: clients.openTable,
    received: () => received,
    loseNextAnswer() {
      isToLose = true
    },
    async close() {
      clients.destroy()
      front.closeAllConnections()
      database.closeAllConnections()
      await Promise.all([front, database].map((server) => new Promise((done) => server.close(done))))
    },
  }
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}
