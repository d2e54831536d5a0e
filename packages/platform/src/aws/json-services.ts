import { type AttributeValue, decodeDocument, encodeDocument } from "./document-values.ts"

/** An AWS service that speaks JSON over HTTP: a call is a `POST /`, and a header names the operation. */
export interface JsonService {
  /** Its name in host names and signatures. */
  readonly name: "dynamodb" | "kms" | "lambda" | "logs" | "sqs"
  /** `<this>.<operation>` is the value of `x-amz-target`. Null: there is none, and the path says what is called. */
  readonly targetPrefix: string | null
  readonly contentType: "application/json" | "application/x-amz-json-1.0" | "application/x-amz-json-1.1"
  /** Below the path of the endpoint. Default: nothing. */
  pathOf?(input: object): string
  /** Converts members to JSON: bytes, for example. Members that are undefined may stay. */
  encode(input: object): object
  /** Converts members back, of answers and of the details of errors. */
  decode(output: object): object
}

/** By the name of a member. */
type Converters = ReadonlyMap<string, Converter>
type Converter = (value: never) => unknown

const forEach = (names: readonly string[], converter: Converter): Converters =>
  new Map(names.map((name) => [name, converter]))
const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")
const fromBase64 = (text: string) => new Uint8Array(Buffer.from(text, "base64"))

const DOCUMENTS_SENT = forEach(
  ["Item", "Key", "ExpressionAttributeValues", "ExclusiveStartKey"],
  encodeDocument,
)
const DOCUMENTS_ANSWERED: Converters = new Map([
  ...forEach(["Item", "Attributes", "LastEvaluatedKey"], decodeDocument),
  ["Items", (items: readonly Record<string, AttributeValue>[]) => items.map(decodeDocument)],
])

const BLOBS = ["CiphertextBlob", "Plaintext", "PublicKey", "SharedSecret"]
const BLOBS_SENT = forEach(BLOBS, toBase64)
const DATES = forEach(["CreationDate", "DeletionDate"], (seconds: number) => new Date(seconds * 1000))
const BLOBS_ANSWERED: Converters = new Map([
  ...forEach(BLOBS, fromBase64),
  ["KeyMetadata", (key: object) => convert(key, DATES)],
])

export const DYNAMODB: JsonService = {
  name: "dynamodb",
  targetPrefix: "DynamoDB_20120810",
  contentType: "application/x-amz-json-1.0",
  encode: (input) => convert(input, DOCUMENTS_SENT),
  decode: (output) => convert(output, DOCUMENTS_ANSWERED),
}

export const KMS: JsonService = {
  name: "kms",
  targetPrefix: "TrentService",
  contentType: "application/x-amz-json-1.1",
  encode: (input) => convert(input, BLOBS_SENT),
  decode: (output) => convert(output, BLOBS_ANSWERED),
}

export const SQS: JsonService = {
  name: "sqs",
  targetPrefix: "AmazonSQS",
  contentType: "application/x-amz-json-1.0",
  encode: (input) => input,
  decode: (output) => output,
}

/** CloudWatch Logs. */
export const LOGS: JsonService = {
  name: "logs",
  targetPrefix: "Logs_20140328",
  contentType: "application/x-amz-json-1.1",
  encode: (input) => input,
  decode: (output) => output,
}

/** AWS Lambda, for calls of functions that take and return JSON. */
export const LAMBDA: JsonService = {
  name: "lambda",
  targetPrefix: null,
  contentType: "application/json",
  pathOf: (input) =>
    `/2015-03-31/functions/${encodeURIComponent("FunctionName" in input ? String(input.FunctionName) : "")}/invocations`,
  encode: (input) => ("Payload" in input && typeof input.Payload === "object" && input.Payload) || {},
  decode: (Payload) => ({ Payload }),
}

/** Converts the members that have a converter. Leaves out those that are undefined or null: both mean absent. */
function convert(members: object, converters: Converters): object {
  const converted: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || value === null) continue
    const converter = converters.get(name) as ((value: unknown) => unknown) | undefined
    converted[name] = converter === undefined ? value : converter(value)
  }
  return converted
}
