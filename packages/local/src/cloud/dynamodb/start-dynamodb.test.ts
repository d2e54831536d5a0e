import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { request } from "node:http"
import { join } from "node:path"
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb"
import { expect, onTestFinished, test } from "vitest"
import { EMBEDDED_REGION, randomCredentials } from "../credentials.ts"
import { signedRequest } from "../testing/signed-request.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { signatureVerifier } from "../verify-signature.ts"
import { startDynamoDb } from "./start-dynamodb.ts"

const credentials = randomCredentials()
const verify = signatureVerifier(credentials, ["dynamodb"])

test("refuses with tables-damaged when the database is none", async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, "tables.db"), "This is not a database.\n".repeat(100))

  await expect(startDynamoDb(folder, verify, () => undefined)).rejects.toMatchObject({
    code: "tables-damaged",
  })
})

test("gives a web page no access: refuses its preflight and an unsigned request", async () => {
  const { endpoint } = await running()
  const preflight = await fetch(endpoint, {
    method: "OPTIONS",
    headers: {
      origin: "https://example.com",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,x-amz-target",
    },
  })
  const simple = await fetch(endpoint, { headers: { origin: "https://example.com" } })

  for (const response of [preflight, simple]) {
    expect(response.status).toBe(400)
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([])
  }
})

test("keeps working after a client disconnects during a request", async () => {
  const { endpoint } = await running()
  const { headers } = await signedRequest(endpoint, {
    service: "dynamodb",
    target: "DynamoDB_20120810.ListTables",
    body: "{}",
    credentials,
  })
  const interrupted = request(endpoint, {
    method: "POST",
    headers: { ...headers, "content-length": "100", expect: "100-continue" },
  })
  interrupted.on("error", () => undefined)
  const closed = new Promise((resolve) => interrupted.on("close", resolve))
  interrupted.flushHeaders()
  await once(interrupted, "continue")
  interrupted.write("{")
  // By the time this one is answered, the previous one has reached the server.
  await listTables(endpoint)
  interrupted.destroy()
  await closed

  await expect(listTables(endpoint)).resolves.toEqual([])
})

async function running() {
  const service = await startDynamoDb(null, verify, () => undefined)
  onTestFinished(() => service.close())
  return service
}

async function listTables(endpoint: string) {
  const client = new DynamoDBClient({ endpoint, credentials, region: EMBEDDED_REGION, maxAttempts: 1 })
  const { TableNames } = await client.send(new ListTablesCommand({})).finally(() => client.destroy())
  return TableNames
}
