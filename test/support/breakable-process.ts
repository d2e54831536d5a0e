import { createService, type ServedEndpoint } from "@sealway/api"
import { createPlatform } from "@sealway/http"
import { withoutLaterWrites } from "@sealway/http/testing"
import { createCloudClients, type EmbeddedCloud } from "@sealway/local"
import {
  type AwsClients,
  type FunctionHost,
  HOST_OPERATIONS,
  KEY_OPERATIONS,
  type Keys,
  type Log,
  OBJECT_OPERATIONS,
  type Objects,
  type QueueSender,
  type RecordKey,
  TABLE_OPERATIONS,
  type Table,
} from "@sealway/ports"
import { createStoredItems, type ItemPlace, type StoredItem } from "./stored-items.ts"

/** What goes wrong at a write. */
export type Fault =
  /** The process dies before it. That is also after the write before it, whose answer may not have come. */
  | "death"
  /** It is not made, and everything after it works. */
  | "refusal"
  /** It is made, its answer is lost, and everything after it works. */
  | "lost answer"

export interface BreakableProcess {
  readonly endpoints: readonly ServedEndpoint[]
  /** Returns how many writes it made. */
  readonly writes: () => number
}

export interface BreakableProcesses {
  /** Starts a process that fails at one of its writes, counted from 1. Null: it does not fail. */
  start(fault: { readonly kind: Fault; readonly at: number } | null): BreakableProcess
  /** Restores all records that the processes have written since the last time. */
  undo(): Promise<void>
}

const QUIET: Log = { info: () => {}, warn: () => {}, error: () => {} }
const WRITES = /^(Put|Update|Delete|Send|CreateKey)/

/** Creates processes over one cloud. */
export function createBreakableProcesses(
  cloud: EmbeddedCloud,
  dnsServers: readonly string[],
): BreakableProcesses {
  // Shared: what a process knows is in its caches, and clients of AWS take milliseconds to make.
  const { configuration, clients } = createCloudClients(cloud, { dnsServers })
  const items = createStoredItems(clients.openTable)
  const undos = new Map<string, () => Promise<void>>()

  async function rememberBefore(command: CallToAws): Promise<void> {
    const place = writtenBy(command)
    if (place === null || undos.has(JSON.stringify(place))) return
    const before = await items.find(place)
    undos.set(JSON.stringify(place), () =>
      before === null ? items.remove(place) : items.put(place.table, before),
    )
  }

  return {
    start(fault) {
      let writes = 0
      let isDead = false
      const call: Interception = async (command, send) => {
        if (isDead) throw new Error("The process is dead")
        if (!WRITES.test(command.operation)) return send()
        writes += 1
        const isFaulty = writes === fault?.at
        if (isFaulty && fault?.kind === "death") isDead = true
        await rememberBefore(command)
        if (!isFaulty) return send()
        if (fault?.kind === "lost answer") await send()
        throw new Error("The write fails")
      }
      const broken: AwsClients = {
        openTable: (name, wallClock) => interceptTable(name, clients.openTable(name, wallClock), call),
        keys: interceptKeys(clients.keys, call),
        openQueues: (urls) => interceptQueues(clients.openQueues(urls), call),
        openObjects: (bucket, wallClock) => interceptObjects(clients.openObjects(bucket, wallClock), call),
        openFunctionHost: (lambda) => interceptHost(clients.openFunctionHost(lambda), call),
        destroy: () => clients.destroy(),
        connect: clients.connect,
      }
      const platform = withoutLaterWrites({ ...createPlatform(configuration, broken), log: QUIET })
      return { endpoints: createService(platform).endpoints, writes: () => writes }
    },

    async undo() {
      await Promise.all([...undos.values()].map((undo) => undo()))
      undos.clear()
    },
  }
}

/** A call of AWS, named as its API names it. */
export interface CallToAws {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
}

export type Interception = (call: CallToAws, send: () => Promise<unknown>) => Promise<unknown>

/** Wraps a table so that its calls go through a function, named and shaped as those to DynamoDB. */
export function interceptTable(TableName: string, table: Table, call: Interception): Table {
  return new Proxy(table, {
    get:
      (target, method: keyof Table) =>
      (key: RecordKey | string, ...others: readonly unknown[]) => {
        const operation = TABLE_OPERATIONS[method]
        const input = { TableName, [operation === "PutItem" ? "Item" : "Key"]: key }
        return call({ operation, input }, () => Reflect.apply(target[method], target, [key, ...others]))
      },
  })
}

/** Wraps keys so that their calls go through a function, each named as its first one to KMS. */
export function interceptKeys(keys: Keys, call: Interception): Keys {
  return new Proxy(keys, {
    get:
      (target, method: keyof Keys) =>
      (...values: readonly unknown[]) => {
        const [operation] = KEY_OPERATIONS[method]
        const input = { EncryptionContext: method === "seal" || method === "open" ? values[2] : {} }
        const send = () => Reflect.apply(target[method], target, values)
        return method === "listAgreementKeys" ? send() : call({ operation, input }, send)
      },
  })
}

/** Wraps objects so that their calls go through a function, named as those to S3. */
export function interceptObjects(objects: Objects, call: Interception): Objects {
  const operations: Partial<Record<keyof Objects, string>> = OBJECT_OPERATIONS
  return new Proxy(objects, {
    get:
      (target, method: keyof Objects) =>
      (...values: readonly unknown[]) => {
        const operation = operations[method]
        const send = () => Reflect.apply(target[method], target, values)
        return operation === undefined ? send() : call({ operation, input: {} }, send)
      },
  })
}

/** Wraps a host of functions so that its calls go through a function, each named as its first one to Lambda. */
export function interceptHost(host: FunctionHost, call: Interception): FunctionHost {
  return new Proxy(host, {
    get:
      (target, method: keyof FunctionHost) =>
      (...values: readonly unknown[]) => {
        const [[, operation]] = HOST_OPERATIONS[method]
        return call({ operation, input: {} }, () => Reflect.apply(target[method], target, values))
      },
  })
}

/** Wraps queues so that what is sent goes through a function, named as the call to SQS. */
export function interceptQueues({ send }: QueueSender, call: Interception): QueueSender {
  return {
    async send(queue, ...message) {
      await call({ operation: "SendMessage", input: { queue } }, () => send(queue, ...message))
    },
  }
}

const ITEM_CHANGES: ReadonlyMap<string, "Item" | "Key"> = new Map([
  ["PutItem", "Item"],
  ["UpdateItem", "Key"],
  ["DeleteItem", "Key"],
])

function writtenBy({ operation, input }: CallToAws): ItemPlace | null {
  const member = ITEM_CHANGES.get(operation)
  return member === undefined ? null : placeOf(input.TableName, input[member] as StoredItem)
}

function placeOf(table: unknown, { pk, sk }: Readonly<Record<string, unknown>> = {}): ItemPlace {
  return { table: String(table), pk: String(pk), sk: String(sk) }
}
