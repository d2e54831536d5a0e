import { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb"
import { createDocumentCodec } from "@sealway/ports"
import fc from "fast-check"
import { expect, test } from "vitest"

const { encode, decode } = createDocumentCodec<string>({
  write: (bytes) => Buffer.from(bytes).toString("base64"),
  read: (text) => new Uint8Array(Buffer.from(text, "base64")),
})

/** Keeps what is put, and answers it. */
let stored = "{}"
const sdk = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    region: "us-east-1",
    credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    requestHandler: {
      async handle({ body }: { readonly body: Uint8Array }) {
        const { Item } = JSON.parse(Buffer.from(body).toString())
        if (Item !== undefined) stored = JSON.stringify(Item)
        const answer = Buffer.from(Item === undefined ? `{"Item":${stored}}` : "{}")
        const headers = { "content-type": "application/x-amz-json-1.0" }
        return { response: { statusCode: 200, headers, body: answer } }
      },
    },
  }),
  { marshallOptions: { removeUndefinedValues: true } },
)

/** The SDK takes an object with a member of the first name for an instance of a class, and loses one of the second. */
const LOST_BY_SDK: readonly string[] = ["constructor", "__proto__"]
const attributeName = fc.string({ minLength: 1 }).filter((name) => !LOST_BY_SDK.includes(name))
const { value: attribute } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    ...[fc.string(), fc.boolean(), fc.constant(null), fc.constant(undefined)],
    ...[fc.integer(), fc.integer().map((number) => number / 64)],
    fc.uint8Array().map((bytes) => new Uint8Array(Buffer.from(bytes))),
    ...[fc.array(tie("value"), { maxLength: 4 }), fc.dictionary(attributeName, tie("value"))],
  ),
}))

test("records are spelled as the SDK's document client spells them, and read as it reads them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(attributeName, attribute), async (record) => {
      await sdk.send(new PutCommand({ TableName: "any", Item: record }))
      const spelled = JSON.stringify(encode(record))
      expect(JSON.parse(spelled)).toEqual(JSON.parse(stored))
      const { Item } = await sdk.send(new GetCommand({ TableName: "any", Key: { pk: "a" } }))
      expect(decode(JSON.parse(spelled))).toEqual(Item)
    }),
  )
})

test.each([
  ["a set", new Set(["a"])],
  ["a date", new Date()],
  ["an infinite number", Number.POSITIVE_INFINITY],
])("a record with %s is refused", (_, value) => {
  expect(() => encode({ value })).toThrow(TypeError)
})
