import { setTimeout as sleep } from "node:timers/promises"
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DynamoDBServiceException,
} from "@aws-sdk/client-dynamodb"
import type { DocumentClient, DocumentCommand } from "@sealway/platform"
import { isUnavailability } from "@sealway/platform"
import type { InProcessHandler } from "../in-process-handler.ts"
import { decodeDocument, encodeDocument } from "./document-values.ts"

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ["GetCommand", "GetItem"],
  ["PutCommand", "PutItem"],
  ["UpdateCommand", "UpdateItem"],
  ["DeleteCommand", "DeleteItem"],
  ["QueryCommand", "Query"],
])
const UTF8 = new TextDecoder()
const MAX_ATTEMPTS = 3
const FIRST_WAIT_MS = 100

/** The members of requests and answers that hold attributes. */
const DOCUMENTS: ReadonlySet<string> = new Set([
  ...["Item", "Key", "ExpressionAttributeValues", "ExclusiveStartKey"],
  ...["Attributes", "LastEvaluatedKey"],
])

/**
 * Creates a client of the DynamoDB in this process. It does what the SDK's document client would do, without the
 * middlewares that the SDK sets up for each call, which take several times as long as the call.
 */
export function createDocumentClient({ handle }: InProcessHandler): DocumentClient {
  async function attempt(operation: string, body: string): Promise<object> {
    const headers = { "x-amz-target": `DynamoDB_20120810.${operation}` }
    const { response } = await handle({ headers, body })
    const answer = UTF8.decode(response.body)
    if (response.statusCode !== 200) throw errorOf(answer, response.statusCode)
    return outputOf(JSON.parse(answer))
  }

  async function send(command: DocumentCommand): Promise<object> {
    const operation = OPERATIONS.get(command.constructor.name)
    if (operation === undefined) throw new TypeError("Tables send no such command")
    const body = JSON.stringify(inputOf(command.input))
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(operation, body)
      } catch (error) {
        if (attempts === MAX_ATTEMPTS || !isUnavailability(error)) throw error
      }
      await sleep(Math.random() * FIRST_WAIT_MS * 2 ** (attempts - 1))
    }
  }

  // Which answer belongs to a command is known by its type alone.
  return { send: send as DocumentClient["send"], destroy: () => undefined }
}

function inputOf(input: object): object {
  const members = Object.entries(input)
  return Object.fromEntries(
    members.map(([name, value]) => [name, DOCUMENTS.has(name) && value ? encodeDocument(value) : value]),
  )
}

function outputOf(output: object): object {
  const members = Object.entries(output).map(([name, value]) => {
    if (DOCUMENTS.has(name)) return [name, decodeDocument(value)]
    return [name, name === "Items" ? value.map(decodeDocument) : value]
  })
  return Object.fromEntries(members)
}

interface Failure {
  readonly __type: string
  readonly message: string
  readonly Item?: Record<string, AttributeValue>
}

function errorOf(answer: string, status: number): Error {
  const { __type: name, message, Item }: Failure = JSON.parse(answer, bytesFromBase64)
  const common = { message, $metadata: { httpStatusCode: status } }
  if (name === "ConditionalCheckFailedException") {
    return new ConditionalCheckFailedException({ ...common, ...(Item && { Item }) })
  }
  return new DynamoDBServiceException({ ...common, name, $fault: status < 500 ? "client" : "server" })
}

/** Only bytes are texts with this name: another attribute of this name is an object, which has its type. */
function bytesFromBase64(name: string, value: unknown): unknown {
  return name === "B" && typeof value === "string" ? new Uint8Array(Buffer.from(value, "base64")) : value
}
