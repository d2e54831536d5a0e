import { createHash } from "node:crypto"
import { MB } from "@sealway/kernel"
import * as z from "zod"
import { EMBEDDED_ACCOUNT_ID } from "../credentials.ts"
import type { Delivery, MessageContent } from "./message-queue.ts"
import type { NamedQueue, Queues } from "./queues.ts"
import { SqsError } from "./sqs-error.ts"

/** What operations work with. */
export interface SqsContext {
  readonly queues: Queues
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
}

type Operation = (members: unknown, context: SqsContext) => object | null | Promise<object>

const MAX_MESSAGE_BYTES = MB
const MAX_ENTRIES = 10
const MAX_VISIBILITY_SECONDS = 43_200
const MAX_DELAY_SECONDS = 900
const MAX_WAIT_SECONDS = 20
const DEFAULT_VISIBILITY_SECONDS = 30
/** The characters of XML 1.0, section 2.2. */
const CONTENTS = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]+$/u

const queueUrl = { QueueUrl: z.string() }
const seconds = (max: number) => z.int().min(0).max(max)
const receiptHandle = z.string().max(1024)
const names = z.array(z.string()).default([])

const sendSchema = z.strictObject({
  MessageBody: z.string(),
  DelaySeconds: seconds(MAX_DELAY_SECONDS).default(0),
  MessageAttributes: z
    .record(
      z.string().max(256),
      z.strictObject({
        DataType: z.string().max(256),
        StringValue: z.string().optional(),
        BinaryValue: z.base64().optional(),
      }),
    )
    .default({}),
})
const deleteSchema = z.strictObject({ ReceiptHandle: receiptHandle })
const visibilitySchema = z.strictObject({
  ReceiptHandle: receiptHandle,
  VisibilityTimeout: seconds(MAX_VISIBILITY_SECONDS),
})
const receiveSchema = z.strictObject({
  ...queueUrl,
  MaxNumberOfMessages: z.int().min(1).max(10).default(1),
  VisibilityTimeout: seconds(MAX_VISIBILITY_SECONDS).optional(),
  WaitTimeSeconds: seconds(MAX_WAIT_SECONDS).default(0),
  MessageAttributeNames: names,
  MessageSystemAttributeNames: names,
})
const createSchema = z.strictObject({
  QueueName: z.string().regex(/^[A-Za-z0-9_-]{1,80}$/),
  Attributes: z
    .strictObject({ VisibilityTimeout: z.string().optional(), RedrivePolicy: z.string().optional() })
    .default({}),
})
/** As the value of an attribute. */
const visibilityTimeoutSchema = z.coerce.number().pipe(seconds(MAX_VISIBILITY_SECONDS))
const redriveSchema = z.strictObject({
  deadLetterTargetArn: z.string(),
  maxReceiveCount: z.coerce.number().pipe(z.int().min(1).max(1000)),
})
const namedSchema = z.strictObject({ QueueName: z.string() })
const queueSchema = z.strictObject(queueUrl)
const attributesSchema = z.strictObject({ ...queueUrl, AttributeNames: names })

/** Every operation of the embedded SQS, by its name in `X-Amz-Target`. Null means an empty answer. */
export const SQS_OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries<Operation>({
    CreateQueue(members, context) {
      const { QueueName, Attributes } = parse(createSchema, members)
      const { VisibilityTimeout = DEFAULT_VISIBILITY_SECONDS, RedrivePolicy } = Attributes
      const queue = context.queues.create(QueueName, {
        visibilityTimeoutSeconds: parse(visibilityTimeoutSchema, VisibilityTimeout, "InvalidAttributeValue"),
        redrive:
          RedrivePolicy === undefined
            ? null
            : parse(redriveSchema, parseJson(RedrivePolicy), "InvalidAttributeValue"),
      })
      return { QueueUrl: urlOf(queue, context) }
    },
    GetQueueUrl(members, context) {
      const { QueueName } = parse(namedSchema, members)
      return { QueueUrl: urlOf(context.queues.require(QueueName), context) }
    },
    DeleteQueue(members, context) {
      context.queues.delete(queueAt(parse(queueSchema, members).QueueUrl, context))
      return null
    },
    GetQueueAttributes(members, context) {
      const { QueueUrl, AttributeNames } = parse(attributesSchema, members)
      return { Attributes: named(attributesOf(queueAt(QueueUrl, context)), AttributeNames) }
    },
    SendMessage: single(sendSchema, send),
    SendMessageBatch: batch(sendSchema, send),
    async ReceiveMessage(members, context) {
      const request = parse(receiveSchema, members)
      const { messages } = queueAt(request.QueueUrl, context)
      const { MaxNumberOfMessages: max, WaitTimeSeconds: wait, VisibilityTimeout: hidden } = request
      const hiddenMs = hidden === undefined ? undefined : hidden * 1000
      const deliveries = await messages.receive(max, wait * 1000, context.signal, hiddenMs)
      return { Messages: deliveries.map((delivery) => received(delivery, request)) }
    },
    DeleteMessage: single(deleteSchema, remove),
    DeleteMessageBatch: batch(deleteSchema, remove),
    ChangeMessageVisibility: single(visibilitySchema, changeVisibility),
    ChangeMessageVisibilityBatch: batch(visibilitySchema, changeVisibility),
  }).map(([name, operation]) => [`AmazonSQS.${name}`, operation]),
)

function send(
  { messages }: NamedQueue,
  { MessageBody: body, MessageAttributes: attributes, DelaySeconds }: z.infer<typeof sendSchema>,
): object {
  if (!CONTENTS.test(body)) {
    throw new SqsError(
      "InvalidMessageContents",
      "The message is empty, or has characters that are not allowed.",
    )
  }
  const content: MessageContent = { body, attributes }
  if (Buffer.byteLength(body) + Buffer.byteLength(JSON.stringify(attributes)) > MAX_MESSAGE_BYTES) {
    throw new SqsError("InvalidParameterValue", "The message is longer than 1 MiB.")
  }
  return { MessageId: messages.send(content, DelaySeconds * 1000), MD5OfMessageBody: md5(body) }
}

function remove({ messages }: NamedQueue, { ReceiptHandle }: z.infer<typeof deleteSchema>): null {
  messages.delete(ReceiptHandle)
  return null
}

function changeVisibility(
  { messages }: NamedQueue,
  { ReceiptHandle, VisibilityTimeout }: z.infer<typeof visibilitySchema>,
): null {
  messages.changeVisibility(ReceiptHandle, VisibilityTimeout * 1000)
  return null
}

/** Makes an operation on one message of what it does with the queue. */
function single<Entry>(
  schema: z.ZodType<Entry>,
  work: (queue: NamedQueue, entry: Entry) => object | null,
): Operation {
  return (members, context) => {
    const { QueueUrl, ...entry } = parse(z.looseObject(queueUrl), members)
    return work(queueAt(QueueUrl, context), parse(schema, entry))
  }
}

/** Makes an operation on up to ten messages, each of which may fail alone. */
function batch<Entry>(
  schema: z.ZodType<Entry>,
  work: (queue: NamedQueue, entry: Entry) => object | null,
): Operation {
  const entrySchema = z.looseObject({ Id: z.string().regex(/^[A-Za-z0-9_-]{1,80}$/) })
  const batchSchema = z.strictObject({ ...queueUrl, Entries: z.array(entrySchema).default([]) })
  return (members, context) => {
    const { QueueUrl, Entries } = parse(batchSchema, members)
    const queue = queueAt(QueueUrl, context)
    if (Entries.length === 0) throw new SqsError("EmptyBatchRequest", "The batch has no entries.")
    if (Entries.length > MAX_ENTRIES) {
      throw new SqsError("TooManyEntriesInBatchRequest", `A batch can have at most ${MAX_ENTRIES} entries.`)
    }
    if (new Set(Entries.map(({ Id }) => Id)).size < Entries.length) {
      throw new SqsError("BatchEntryIdsNotDistinct", "Two entries of the batch have the same Id.")
    }
    const Successful: object[] = []
    const Failed: object[] = []
    for (const { Id, ...entry } of Entries) {
      try {
        Successful.push({ Id, ...work(queue, parse(schema, entry)) })
      } catch (error) {
        if (!(error instanceof SqsError)) throw error
        Failed.push({ Id, Code: error.type, Message: error.message, SenderFault: true })
      }
    }
    return { Successful, Failed }
  }
}

function received({ message, receiptHandle }: Delivery, request: z.infer<typeof receiveSchema>): object {
  const { id, body, attributes, sentAt, receiveCount, firstReceivedAt } = message
  const system = {
    ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
    ApproximateReceiveCount: String(receiveCount),
    SenderId: EMBEDDED_ACCOUNT_ID,
    SentTimestamp: String(sentAt),
  }
  return {
    MessageId: id,
    ReceiptHandle: receiptHandle,
    Body: body,
    MD5OfBody: md5(body),
    Attributes: named(system, request.MessageSystemAttributeNames),
    MessageAttributes: named(attributes, request.MessageAttributeNames),
  }
}

function attributesOf({ arn, messages, visibilityTimeoutSeconds, redrive }: NamedQueue) {
  const { visible, delayed, inFlight } = messages.counts
  return {
    QueueArn: arn,
    VisibilityTimeout: String(visibilityTimeoutSeconds),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ...(redrive && { RedrivePolicy: JSON.stringify(redrive) }),
  }
}

/** Returns the members that a request names; `All` names all. */
function named<Value>(
  members: Readonly<Record<string, Value>>,
  requested: readonly string[],
): Readonly<Record<string, Value>> {
  if (requested.includes("All")) return members
  return Object.fromEntries(Object.entries(members).filter(([name]) => requested.includes(name)))
}

function urlOf({ name }: NamedQueue, { endpoint }: SqsContext): string {
  return `${endpoint}/${EMBEDDED_ACCOUNT_ID}/${name}`
}

/** @throws SqsError QueueDoesNotExist */
function queueAt(url: string, { queues, endpoint }: SqsContext): NamedQueue {
  const prefix = `${endpoint}/${EMBEDDED_ACCOUNT_ID}/`
  return queues.require(url.startsWith(prefix) ? url.slice(prefix.length) : "")
}

/** The protocol requires it. It protects nothing here. */
function md5(text: string): string {
  return createHash("md5").update(text).digest("hex")
}

/** @throws SqsError of the type, or UnsupportedOperation for members that SQS knows and this one does not */
function parse<Value>(
  schema: z.ZodType<Value>,
  members: unknown,
  type: "InvalidParameterValue" | "InvalidAttributeValue" = "InvalidParameterValue",
): Value {
  const result = schema.safeParse(members)
  if (result.success) return result.data
  const [issue] = result.error.issues
  if (issue?.code === "unrecognized_keys") {
    throw new SqsError("UnsupportedOperation", "The embedded SQS does not offer a member of this request.")
  }
  throw new SqsError(type, `The value of ${issue?.path.join(".") || "an attribute"} is invalid.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SqsError("InvalidAttributeValue", "The redrive policy is not JSON.", { cause: error })
  }
}
