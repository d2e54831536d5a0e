import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb"
import { expect, test } from "vitest"
import type { AwsJsonService } from "./aws-json-server.ts"
import { EMBEDDED_REGION, randomCredentials } from "./credentials.ts"
import { createInProcessHandler } from "./in-process-handler.ts"

const clientOf = ({ answer }: Pick<AwsJsonService, "answer">, timeoutMs = 3_000) =>
  new DynamoDBClient({
    region: EMBEDDED_REGION,
    credentials: randomCredentials(),
    maxAttempts: 1,
    requestHandler: createInProcessHandler(
      {
        ...{ name: "DynamoDB", contentType: "application/x-amz-json-1.0", maxBodyBytes: 0 },
        ...{ answer, failure: { status: 500, body: '{"__type":"InternalServerError"}' } },
      },
      timeoutMs,
    ),
  })

/** Finds an item with any key. */
const echo: Pick<AwsJsonService, "answer"> = {
  answer: (_target, body) => ({ status: 200, body: JSON.stringify({ Item: JSON.parse(body).Key }) }),
}
const get = (sk: string) => new GetItemCommand({ TableName: "any", Key: { pk: { S: "a" }, sk: { S: sk } } })

test("passes requests and answers without a socket", async () => {
  const { Item } = await clientOf(echo).send(get("é\u0000"))

  expect(Item).toEqual({ pk: { S: "a" }, sk: { S: "é\u0000" } })
})

test("raises the same errors as over HTTP, with their statuses", async () => {
  const type = "ConditionalCheckFailedException"
  const refusing = { answer: () => ({ status: 400, body: JSON.stringify({ __type: type }) }) }

  await expect(clientOf(refusing).send(get("a"))).rejects.toMatchObject({
    name: type,
    $metadata: { httpStatusCode: 400 },
  })
})

test("fails with TimeoutError when no answer arrives in time", async () => {
  const never = { answer: () => new Promise<never>(() => undefined) }
  await expect(clientOf(never, 1).send(get("a"))).rejects.toMatchObject({ name: "TimeoutError" })
})

test("keeps working after one of its clients was destroyed", async () => {
  clientOf(echo).destroy()

  expect((await clientOf(echo).send(get("a"))).Item).toMatchObject({ sk: { S: "a" } })
})

test("answers with the service's failure when it throws, and reveals nothing else", async () => {
  const failing = { answer: () => Promise.reject(new Error("the disk of the operator")) }
  const error = await clientOf(failing)
    .send(get("a"))
    .catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ name: "InternalServerError" })
  expect(String(error)).not.toContain("disk")
})

test("tells the service when the caller aborts", async () => {
  const aborting = new AbortController()
  const waiting = {
    answer: (_target: string, _body: string, signal: AbortSignal) =>
      new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null))),
  }
  const sent = clientOf(waiting).send(get("a"), { abortSignal: aborting.signal })
  aborting.abort()

  await expect(sent).rejects.toMatchObject({ name: expect.stringMatching(/UnknownOperation|AbortError/) })
})
