import { DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb"
import { createService, type ServedEndpoint } from "@sealway/api"
import { createCloudClients, type EmbeddedCloud } from "@sealway/local"
import { type AwsClients, createPlatform, type Log } from "@sealway/platform"
import { withoutLaterWrites } from "@sealway/platform/testing"
import { createStoredItems, type ItemPlace } from "./stored-items.ts"

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
  const items = createStoredItems(clients.dynamodb)
  const undos = new Map<string, () => Promise<void>>()

  async function rememberBefore(command: object): Promise<void> {
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
      async function call(command: object, send: () => Promise<unknown>): Promise<unknown> {
        if (isDead) throw new Error("The process is dead")
        if (!WRITES.test(command.constructor.name)) return send()
        writes += 1
        const isFaulty = writes === fault?.at
        if (isFaulty && fault?.kind === "death") isDead = true
        await rememberBefore(command)
        if (!isFaulty) return send()
        if (fault?.kind === "lost answer") await send()
        throw new Error("The write fails")
      }
      const broken: AwsClients = {
        dynamodb: intercept(clients.dynamodb, call),
        kms: intercept(clients.kms, call),
        sqs: intercept(clients.sqs, call),
        connect: (service, create) => intercept(clients.connect(service, create), call),
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

/** Wraps a client of the AWS SDK so that its calls go through a function. */
export function intercept<Client extends object>(
  client: Client,
  call: (command: object, send: () => Promise<unknown>) => Promise<unknown>,
): Client {
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (name !== "send" || typeof member !== "function") return member
      return (command: object) => call(command, () => Reflect.apply(member, target, [command]))
    },
  })
}

function writtenBy(command: object): ItemPlace | null {
  if (command instanceof PutCommand) return placeOf(command.input.TableName, command.input.Item)
  if (!(command instanceof UpdateCommand || command instanceof DeleteCommand)) return null
  return placeOf(command.input.TableName, command.input.Key)
}

function placeOf(table: string | undefined, { pk, sk }: Readonly<Record<string, unknown>> = {}): ItemPlace {
  return { table: String(table), pk: String(pk), sk: String(sk) }
}
