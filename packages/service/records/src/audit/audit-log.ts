import type { Actor, App, Caller } from "@sealway/accounts"
import { ApiError } from "@sealway/kernel"
import { pagesOf, teamPartition } from "@sealway/ports"
import type { Events } from "../events/events.ts"
import { createAuditAppender } from "./audit-appender.ts"
import type { AuditRecord, UnlinkedAuditRecord } from "./audit-chain.ts"
import { MAX_BATCH } from "./audit-group.ts"
import { type AuditTable, BLOCK_PREFIX, blockKey, recordsOf } from "./audit-table.ts"

/** The actor of an audit record, and where the action came from. */
export interface AuditAuthor {
  readonly actor: Actor
  /** Null for actions of the service itself. */
  readonly ip: string | null
  readonly requestId: string | null
}

/** The author of the service's own actions. */
export const SYSTEM: AuditAuthor = { actor: { type: "system", id: "sealway" }, ip: null, requestId: null }

/** Returns the sender of an authenticated request. */
export function authorOf({ actor, ip, requestId }: Caller): AuditAuthor {
  if (actor === null) throw new TypeError("Nobody is identified")
  return { actor, ip, requestId }
}

export interface AuditEntry extends AuditAuthor {
  readonly teamId: string
  /** The app concerned; null for actions on the team. */
  readonly appId: string | null
  /** `<thing>.<verb>`, such as `data-policy.update`. */
  readonly action: string
  readonly target: { readonly type: string; readonly id: string }
  /** Never data, keys or tokens. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
  /** True to publish no event to webhook endpoints, because there would be too many. Default: false. */
  readonly isQuiet?: boolean
}

/**
 * Returns the entry of what somebody does to something of an app, `relay.create`.
 *
 * @param target also the thing's name in the action
 */
export function appEntry(
  app: Pick<App, "id" | "teamId">,
  target: AuditEntry["target"],
  verb: string,
  author: AuditAuthor,
  details: NonNullable<AuditEntry["details"]> = {},
): AuditEntry {
  const action = `${target.type}.${verb}`
  return { ...author, teamId: app.teamId, appId: app.id, action, target, details }
}

/** Returns the id of a record's event, when it must be the same each time the record is published. */
export type EventIdOf = (record: AuditRecord) => string

/** The append-only, hash-chained audit log, one chain per team. */
export interface AuditLog {
  /**
   * Resolves when the record is durable. Record first, then make the change, so that no change can be without a record.
   *
   * @param eventIdOf default: the record's event gets a new id
   * @throws ApiError `service-unavailable` when other writers to the team's log keep this call from getting its turn
   */
  record(entry: AuditEntry, eventIdOf?: EventIdOf): Promise<void>
  /** Yields records in descending order. @param fromSeq the first one wanted; null for the newest */
  read(teamId: string, fromSeq: number | null): AsyncIterable<AuditRecord>
}

/** What of a log an earlier attempt of a request may have written. */
export interface AuditHistory {
  /**
   * Yields records from a time on, oldest first.
   *
   * @param fromMs epoch milliseconds. A record can be older than those before it: by up to `MAX_WAIT_MS`, and by what
   * clocks of processes differ. So older ones may be among those found, and ones before an older one may be missing: to get
   * all, ask for a time that is earlier by as much
   */
  since(teamId: string, fromMs: number): AsyncIterable<AuditRecord>
}

/**
 * Makes a change after recording it: even if the process dies, every change that was made has a record. When the change
 * throws, `<action>.failed` is recorded too.
 */
export async function audited<Result>(
  audit: AuditLog,
  entry: AuditEntry,
  change: () => Promise<Result>,
): Promise<Result> {
  await audit.record(entry)
  try {
    return await change()
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.code === "idempotency-result-unknown"
    if (!isUnknown) await audit.record({ ...entry, action: `${entry.action}.failed` })
    throw error
  }
}

export type { AuditRecord }

const BLOCKS_PER_READ = 20

interface Waiting {
  readonly record: UnlinkedAuditRecord
  readonly resolve: (record: AuditRecord) => void
  readonly reject: (error: unknown) => void
}

export interface AuditLogDependencies {
  readonly table: AuditTable
  readonly events: Events
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  /** Spreads the attempts of writers, from 0 to 1. Default: `Math.random`. */
  readonly random?: () => number
}

/**
 * Creates an audit log. Records that arrive while a block is being written form the next block, so that a burst of
 * records costs few writes and each record still follows the one before it. Processes that write at the same time do the
 * same with each other's records, see `createAuditAppender`.
 */
export function createAuditLog({
  table,
  events,
  wallClock,
  random = Math.random,
}: AuditLogDependencies): AuditLog & AuditHistory {
  const append = createAuditAppender({ table, wallClock, random })
  const queues = new Map<string, Waiting[]>()

  async function drain(teamId: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const block = queue.splice(0, MAX_BATCH)
      try {
        const records = await append(
          teamId,
          block.map(({ record }) => record),
        )
        for (const [index, record] of records.entries()) block[index]?.resolve(record)
      } catch (error) {
        for (const { reject } of block) reject(error)
      }
    }
    queues.delete(teamId)
  }

  function enqueue(record: UnlinkedAuditRecord): Promise<AuditRecord> {
    return new Promise((resolve, reject) => {
      const waiting = { record, resolve, reject }
      const queue = queues.get(record.teamId)
      if (queue !== undefined) {
        queue.push(waiting)
        return
      }
      const started = [waiting]
      queues.set(record.teamId, started)
      void drain(record.teamId, started)
    })
  }

  return {
    async record({ details = {}, isQuiet = false, ...entry }, eventIdOf) {
      const record = await enqueue({ ...entry, details: { ...details }, at: wallClock() })
      if (!isQuiet) await publishAuditRecord(events, record, eventIdOf)
    },

    async *read(teamId, fromSeq) {
      const after = fromSeq === null ? undefined : blockKey(teamId, fromSeq + 1).sk
      const request = { limit: BLOCKS_PER_READ, after }
      for await (const items of pagesOf(table, teamPartition(teamId), BLOCK_PREFIX, request)) {
        for (const item of items) {
          for (const record of recordsOf(item).toReversed()) {
            if (fromSeq === null || record.seq <= fromSeq) yield record
          }
        }
      }
    },

    since: (teamId, fromMs) => recordsSince(table, teamId, fromMs),
  }
}

/**
 * Publishes a record's event. `record` already does so: this is for records whose event may not have been published.
 */
export async function publishAuditRecord(
  events: Pick<Events, "publish">,
  record: AuditRecord,
  eventIdOf?: EventIdOf,
): Promise<void> {
  const { teamId, appId } = record
  if (appId === null) return
  const id = eventIdOf === undefined ? {} : { id: eventIdOf(record) }
  await events.publish({ teamId, appId, type: "audit-log.event", data: record, ...id })
}

/** Finds the first record of `since` by binary search, then reads block after block. */
async function* recordsSince(table: AuditTable, teamId: string, fromMs: number): AsyncGenerator<AuditRecord> {
  const pk = teamPartition(teamId)
  const onlyBlock = async (prefix: string, after?: string): Promise<readonly AuditRecord[] | null> => {
    const { items } = await table.page(pk, prefix, { limit: 1, after })
    return items[0] === undefined ? null : recordsOf(items[0])
  }
  /** Returns the last block that starts before a number. */
  const blockBefore = (seq: number) => onlyBlock(BLOCK_PREFIX, blockKey(teamId, seq).sk)
  let block = await blockBefore(Number.MAX_SAFE_INTEGER)
  // All records up to `older` are too old; `block` is the first one to read, as far as is known.
  let older = 0
  let newer = block?.[0]?.seq ?? 0
  while (older + 1 < newer) {
    const middle = Math.floor((older + newer) / 2)
    const found = await blockBefore(middle + 1)
    const [first, last] = [found?.[0], found?.at(-1)]
    if (first === undefined || last === undefined) older = middle
    else if (last.at < fromMs) older = last.seq
    else {
      newer = first.seq
      block = found
    }
  }
  while (block !== null) {
    yield* block
    block = await onlyBlock(blockKey(teamId, (block.at(-1)?.seq ?? 0) + 1).sk)
  }
}
